-- Finds the sessions and prepared transactions (pid 0) that block others and do not wait, for the 50 oldest waits. A
-- commit that waits for a standby (SyncRep) is left out: the standby is the cause, and no such commit may be ended. If
-- the role may not see how long a blocker has been in its state, the oldest wait behind the blocker gives a lower
-- bound.
with recursive waiting as materialized (
  select l.*, pg_blocking_pids(l.pid) as blockers
  from (select * from pg_locks where not granted and pid <> pg_backend_pid() order by waitstart limit 50) as l
), pairs as (
  select w.pid, b.pid as blocker from waiting as w cross join lateral unnest(w.blockers) as b (pid)
), climb as (
  select pid, blocker as root from pairs
  union
  select c.pid, p.blocker from climb as c join pairs as p on p.pid = c.root
), roots as (
  select root, count(distinct pid) as waiting from climb
  where root not in (select pid from waiting)
    and root not in (select pid from pg_stat_activity where wait_event = 'SyncRep')
  group by root
), first as (
  -- Picks for each root one of the sessions directly behind it: the one with the most sessions behind itself.
  select distinct on (p.blocker) p.blocker, w.*, min(w.waitstart) over (partition by p.blocker) as since, (select count(distinct c.pid) from climb as c where c.root = w.pid) as behind
  from pairs as p join waiting as w on w.pid = p.pid
  order by p.blocker, behind desc
)
select r.root as pid, concat(r.root, ' ', p.gid) as name, r.waiting,
       -- A transaction with NOTIFY locks the database 0 at its commit.
       f.locktype || case when f.locktype = 'object' and f.classid = 'pg_database'::regclass and f.objid = 0 then ' notify'
         else '' end as lock, f.pid as first_pid,
       f.behind > 0 and f.locktype = 'relation'
         and f.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') as is_first_in_the_way,
       case when f.locktype = 'relation' and f.database = (select oid from pg_database where datname = current_database())
         then concat(f.relation::regclass, ' (it holds ' || (
           select string_agg(h.mode, ', ') from pg_locks as h
           where h.granted and h.pid = r.root and h.relation = f.relation and h.locktype = 'relation') || ')') end as "table",
       case when fs.query <> '<insufficient privilege>' then fs.query end as first_query,
       case when r.root = 0 then 'prepared'
         -- The server ends such a session at once, but reacts to a cancel only after the client has read.
         when s.wait_event = 'ClientWrite' then 'waiting for its client to read'
         when s.state in ('active', 'fastpath function call') then 'active'
         when s.state like 'idle%' then s.state else 'not visible' end as state,
       case when s.query <> '<insufficient privilege>' then s.query end as query,
       greatest(extract(epoch from clock_timestamp() - coalesce(s.state_change, p.prepared, f.since)), 0)::float8 as seconds,
       greatest(extract(epoch from clock_timestamp() - greatest(coalesce(s.xact_start, s.state_change, p.prepared), f.since)), 0)::float8
         as blocked_seconds,
       coalesce(p.gid, '') as gid,
       nullif(concat_ws(', ', nullif(s.application_name, ''),
         'database ' || nullif(coalesce(s.datname, p.database), current_database())), '') as application
from roots as r
join first as f on f.blocker = r.root
left join pg_stat_activity as s on s.pid = r.root
left join pg_stat_activity as fs on fs.pid = f.pid
left join lateral (
  select x.gid, x.prepared, x.database
  from pg_prepared_xacts as x
  join pg_locks as o on o.pid is null and o.granted and o.transactionid = x.transaction
  join pg_locks as h on h.pid is null and h.virtualtransaction = o.virtualtransaction
  where r.root = 0 and h.granted and h.locktype = f.locktype
    and (h.transactionid, h.database, h.relation, h.classid, h.objid, h.objsubid)
      is not distinct from (f.transactionid, f.database, f.relation, f.classid, f.objid, f.objsubid)
  order by x.prepared limit 1
) as p on true;
