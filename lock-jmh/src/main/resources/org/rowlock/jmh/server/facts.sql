-- Describes the server and the session's role. The last column is the capacity of the lock table, as PostgreSQL
-- documents it. Before PostgreSQL 19 the table can grow to about twice this capacity.
select version(),
       session_user,
       current_database(),
       case when current_setting('server_version_num')::int < 190000 then 2 else 1 end
         * current_setting('max_locks_per_transaction')::bigint
         * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)
