-- What keeps vacuum from removing dead rows, the oldest first. Sessions of other databases hold back shared catalogs only, and
-- a vacuum nothing: it and its parallel workers, which not every role may know as such, alone have their lock on a table.
select case when backend_type = 'walsender' or (datname is null and backend_type is null)
         then 'standby' else 'session' end as kind,
       pid::text as name, usename::text as role, nullif(application_name, '') as application, state,
       case when query <> '<insufficient privilege>' then nullif(query, '') end as query,
       greatest(age(backend_xid), age(backend_xmin)) as xids,
       extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
from pg_stat_activity as a
where pid <> pg_backend_pid() and coalesce(backend_xid, backend_xmin) is not null
  and (datname = current_database() or datname is null)
  and coalesce(backend_type, '') <> 'autovacuum worker'
  and not exists (select from pg_locks as v join pg_locks as w using (database, relation, mode, granted)
                  where mode = 'ShareUpdateExclusiveLock' and granted and w.pid = a.pid
                    and v.pid in (select pid from pg_stat_progress_vacuum))
union all
select 'prepared transaction', gid, owner::text, null, null, null, age(transaction),
       extract(epoch from clock_timestamp() - prepared)::float8
from pg_prepared_xacts where database = current_database()
union all
-- A standby that is there keeps in its slot what its queries need.
select case when active and slot_type = 'physical' then 'standby' else 'replication slot' end, slot_name::text, null, null,
       case when not active then 'not in use' when slot_type = 'physical' then 'by its slot' else 'in use' end, null, age(xmin), null
from pg_replication_slots where xmin is not null
order by xids desc, seconds desc nulls last
limit 5;
