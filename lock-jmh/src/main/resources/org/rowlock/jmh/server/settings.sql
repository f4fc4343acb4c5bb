-- Reads the settings that affect locks, in the order of the report.
select name, coalesce(nullif(current_setting(name), ''), '''''')
  from unnest(array['max_connections',
                    'max_locks_per_transaction',
                    'shared_buffers',
                    'fsync',
                    'synchronous_commit',
                    'synchronous_standby_names',
                    'full_page_writes',
                    'wal_level',
                    'max_wal_size',
                    'deadlock_timeout',
                    'lock_timeout',
                    'statement_timeout',
                    'idle_in_transaction_session_timeout',
                    'default_transaction_isolation',
                    'autovacuum',
                    'autovacuum_naptime',
                    'track_activities']) with ordinality as listed (name, place)
  join pg_settings using (name)
 order by place
