-- Lists the sessions that wait for a lock, and the sessions and prepared transactions (pid 0) that they wait for. For a
-- waiting session the result has the length of the wait, and for other sessions the time in their state.
with waiting as materialized (
  select l.*, pg_blocking_pids(l.pid) as blockers
  from (select * from pg_locks where not granted and pid <> pg_backend_pid() order by waitstart limit 200) as l
), pairs as (
  select w.pid, b.pid as blocker, w.locktype, w.transactionid, w.database, w.relation, w.classid, w.objid, w.objsubid
  from waiting as w cross join lateral unnest(w.blockers) as b (pid)
), involved as (
  select pid from waiting union select blocker from pairs
)
select coalesce(p.gid, i.pid::text) as name, i.pid = 0 as is_prepared,
       coalesce(nullif(a.application_name, ''), '') as application,
       case when i.pid = 0 then 'prepared' when a.state is null then 'not visible' else a.state end as state,
       coalesce(extract(epoch from clock_timestamp() - coalesce(w.waitstart, a.state_change, p.prepared)), 0)::float8 as seconds,
       case when w.pid is not null then concat_ws(' ', w.locktype,
         case when w.database = (select oid from pg_database where datname = current_database())
           then w.relation::regclass::text end) end as wants,
       case when a.query <> '<insufficient privilege>' then a.query end as query,
       (select string_agg(b::text, ' ') from unnest(w.blockers) as b) as blockers
from involved as i
left join waiting as w on w.pid = i.pid
left join pg_stat_activity as a on a.pid = i.pid
left join lateral (
  select x.gid, x.prepared
  from pg_prepared_xacts as x
  join pg_locks as o on o.pid is null and o.granted and o.transactionid = x.transaction
  join pg_locks as h on h.pid is null and h.virtualtransaction = o.virtualtransaction and h.granted
  join pairs as f on f.blocker = 0 and h.locktype = f.locktype
    and (h.transactionid, h.database, h.relation, h.classid, h.objid, h.objsubid)
      is not distinct from (f.transactionid, f.database, f.relation, f.classid, f.objid, f.objsubid)
  order by x.prepared limit 1
) as p on i.pid = 0
order by w.waitstart nulls first, i.pid;
