-- Describes the server, and which figures the role may see. Settings that the role may not see are null.
select split_part(current_setting('server_version'), ' ', 1) as version,
       current_database() as database,
       current_user as role,
       pg_is_in_recovery() as standby,
       pg_has_role('pg_read_all_stats', 'usage') as reads_all_stats,
       current_setting('track_activities')::bool as track_activities,
       current_setting('track_counts')::bool as track_counts,
       current_setting('hot_standby_feedback')::bool as standby_feedback,
       current_setting('log_lock_waits')::bool as log_lock_waits,
       -- Whether a commit waits for a synchronous standby although none is connected. The result is null if the role
       -- may not see all standbys.
       pg_has_role('pg_read_all_stats', 'usage')
         and (select setting <> '' from pg_settings where name = 'synchronous_standby_names')
         and not exists (select from pg_stat_replication where sync_state in ('sync', 'quorum')) as is_standby_gone,
       -- The capacity of the lock table, as PostgreSQL documents it. Before PostgreSQL 19 the lock table can grow to
       -- about twice this capacity.
       case when current_setting('server_version_num')::int < 190000 then 2 else 1 end
         * current_setting('max_locks_per_transaction')::int8
         * (current_setting('max_connections')::int8 + current_setting('max_prepared_transactions')::int8) as lock_room,
       -- The number of connections for roles without a reservation. Before PostgreSQL 16 only superusers have one.
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0) as connection_room,
       (select setting from pg_settings where name = 'shared_preload_libraries') as preloaded,
       (select quote_ident(n.nspname) from pg_extension as e join pg_namespace as n on n.oid = e.extnamespace
        where e.extname = 'pg_stat_statements') as statements_schema;
