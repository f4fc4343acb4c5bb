-- Locks of tables and indexes that had no room in the fast path, and so went to the lock table. PostgreSQL 19 and newer.
select sum(fastpath_exceeded)::int8 as fast_path_exceeded
from pg_catalog.pg_stat_lock
where locktype = 'relation';
