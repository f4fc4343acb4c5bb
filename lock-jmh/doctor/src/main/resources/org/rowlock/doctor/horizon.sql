-- Finds the sessions, transactions and slots that keep vacuum from removing dead rows, the oldest first. A running
-- vacuum does not hold back another vacuum. Not every role may see that a session runs VACUUM, so the query recognizes
-- such a session by the lock on its table. Every new snapshot begins at the oldest xid that is still running in any
-- database. A session, standby or slot with such a snapshot has inherited its age, so the result names the transaction
-- with that xid instead. Sessions may share a snapshot: the leader of a parallel pg_dump is idle while its workers use
-- the leader's snapshot.
with sessions as materialized (
  select a.*, coalesce(backend_type = 'walsender', datname is null) as is_standby from pg_stat_activity as a
  where pid <> pg_backend_pid() and coalesce(backend_type, '') <> 'autovacuum worker'
), prepared as materialized (
  select * from pg_prepared_xacts
), running as materialized (
  select backend_xid as xid from sessions where backend_xid is not null union all select transaction from prepared
), holders as (
  select case when is_standby then 'standby' else 'session' end as kind,
         pid::text as name, concat_ws(', ', usename, nullif(application_name, ''), state) as who,
         case when query <> '<insufficient privilege>' then nullif(query, '') end as query,
         greatest(age(backend_xid), case when (datname = current_database() or datname is null)
                                           and backend_xmin not in (select xid from running) then age(backend_xmin) end) as xids,
         extract(epoch from clock_timestamp() - xact_start)::float8 as seconds,
         case when state like 'idle%' then (
           select case when not bool_or(state in ('active', 'fastpath function call'))
                       then extract(epoch from clock_timestamp() - max(state_change))::float8 end
           from sessions as s
           where pid = a.pid or (s.datid = a.datid and s.backend_xmin = a.backend_xmin
                                 and a.backend_xmin not in (select xid from running))) end as idle_seconds
  from sessions as a
  where not exists (select from pg_locks as v join pg_locks as w using (database, relation, mode, granted)
                    where mode = 'ShareUpdateExclusiveLock' and granted and w.pid = a.pid
                      and v.pid in (select pid from pg_stat_progress_vacuum))
  union all
  select 'prepared transaction', gid, owner::text, null, age(transaction),
         extract(epoch from clock_timestamp() - prepared)::float8, null
  from prepared
  union all
  -- The slot of a connected standby holds the horizon of the standby's queries.
  select case when active and slot_type = 'physical' then 'standby' else 'replication slot' end, slot_name::text,
         case when not active then 'not in use' when slot_type = 'physical' then 'by its slot' else 'in use' end, null,
         case when xmin not in (select xid from running) then age(xmin) end, null, null
  from pg_replication_slots
)
select * from holders where xids is not null
order by xids desc, seconds desc nulls last
limit 5;
