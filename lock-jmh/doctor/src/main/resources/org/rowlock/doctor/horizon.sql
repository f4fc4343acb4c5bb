-- What keeps vacuum from removing dead rows, the oldest first. Autovacuum does not wait for its own workers, and sessions of
-- other databases hold back shared catalogs only.
select case when backend_type = 'walsender' or (datname is null and backend_type is null)
         then 'standby' else 'session' end as kind,
       pid::text as name, usename::text as role, nullif(application_name, '') as application, state,
       case when query <> '<insufficient privilege>' then nullif(query, '') end as query,
       greatest(age(backend_xid), age(backend_xmin)) as xids,
       extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
from pg_stat_activity
where pid <> pg_backend_pid() and coalesce(backend_xid, backend_xmin) is not null
  and (datname = current_database() or datname is null)
  and coalesce(backend_type, '') <> 'autovacuum worker'
union all
select 'prepared transaction', gid, owner::text, null, null, null, age(transaction),
       extract(epoch from clock_timestamp() - prepared)::float8
from pg_prepared_xacts where database = current_database()
union all
select 'replication slot', slot_name::text, null, null, case when active then 'in use' else 'not in use' end, null, age(xmin), null
from pg_replication_slots where xmin is not null
order by xids desc, seconds desc nulls last
limit 5;
