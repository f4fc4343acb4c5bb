-- Removes all guards, all audits and what they noted.
drop schema if exists rowlock cascade;
