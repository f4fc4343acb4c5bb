-- Finds the sessions that wait for a row lock, with the table, the statement, and the activity of the row's holder. The
-- first in line holds the tuple lock of the row and waits for the transaction of the holder. The others wait for the
-- tuple lock. If the row was just updated, a session may wait for the transaction without a tuple lock, and pg_locks
-- then names no row. In this case the query guesses the table: one on which the session holds a table lock, and which
-- the statement names, or which a trigger of the statement writes. If the session holds only one such lock, the
-- statement need not name the table.
with recursive locks as materialized (
  select *, clock_timestamp() as locked_at from pg_locks where mode <> 'SIReadLock'
), sessions as materialized (
  select *, clock_timestamp() as seen_at from pg_stat_activity
), waiters as (
  -- PostgreSQL reads pg_locks first, and pg_stat_activity slightly later. A session with a younger statement no longer
  -- runs the statement that waited.
  select l.pid, l.locktype, l.transactionid, l.waitstart, l.locked_at, s.seen_at,
         case when s.query <> '<insufficient privilege>' then s.query end as query
  from locks as l join sessions as s on s.pid = l.pid
  where s.datname = current_database() and not l.granted and l.locktype in ('tuple', 'transactionid') and l.pid <> pg_backend_pid()
    -- A session without such a table lock does not wait for a row. For example, the creation of a logical slot waits
    -- for old transactions.
    and l.pid in (select pid from locks where locktype = 'relation' and mode in ('RowShareLock', 'RowExclusiveLock'))
    and (s.query = '<insufficient privilege>' or s.query_start <= l.locked_at)
), tuples as (
  select distinct on (pid) pid, relation || ' ' || page || ' ' || tuple as tuple, mode,
         case when database = (select oid from pg_database where datname = current_database())
           then coalesce(pg_partition_root(relation), relation::regclass) end as root
  from locks where locktype = 'tuple' order by pid, granted
), touched as (
  select w.pid, w.query, r.root, bool_or(l.mode = 'RowExclusiveLock') as is_written,
         w.query ~* ('\m' || regexp_replace(c.relname, '(\W)', '\\\1', 'g') || '\M') as is_named,
         -- Such an INSERT may wait for a row that its trigger writes. If the check of a foreign key has locked this row,
         -- the session waits without a tuple lock.
         w.query ~* '^\s*(begin[^;]*;\s*)?insert\M' and w.query !~* '\mon\s+conflict\M' and exists (
           select from pg_trigger as g where g.tgrelid = r.root and not g.tgisinternal and g.tgtype & 4 <> 0) as fires
  from waiters as w
  join locks as l on l.pid = w.pid and l.locktype = 'relation' and l.mode in ('RowShareLock', 'RowExclusiveLock')
    and l.database = (select oid from pg_database where datname = current_database())
  cross join lateral (select coalesce(pg_partition_root(l.relation), l.relation::regclass) as root) as r
  join pg_class as c on c.oid = r.root and c.relkind in ('r', 'p')
  where not exists (select from tuples as t where t.pid = w.pid)
  group by w.pid, w.query, r.root, c.relname
), guessed as (
  -- Whether the table is one that a trigger writes.
  select t.*, t.is_written and not t.fires and exists (select from touched as f where f.pid = t.pid and f.is_named and f.fires)
           as is_by_trigger
  from touched as t
), named as (
  select pid, min(root::oid)::regclass as root, bool_or(is_by_trigger) as is_by_trigger from guessed as g
  where case when exists (select from guessed as o where o.pid = g.pid and o.is_by_trigger) then is_by_trigger
          else is_named or not exists (select from touched as o where o.pid = g.pid and o.root <> g.root) end
  group by pid having count(*) = 1
), single as (
  -- The only row of a table that sessions visibly wait for. Sessions without a visible row are assumed to wait for this
  -- row too.
  select w.transactionid::text as transaction, t.root, min(t.tuple) as tuple
  from waiters as w join tuples as t on t.pid = w.pid
  where w.transactionid is not null
  group by 1, 2 having count(distinct t.tuple) = 1
), holders as (
  -- A prepared transaction has no pid.
  select distinct on (transactionid) transactionid, pid from locks
  where locktype = 'transactionid' and granted and mode = 'ExclusiveLock'
), behind as (
  select w.pid, h.pid as other from waiters as w join holders as h using (transactionid)
  union
  select b.pid, h.pid from behind as b join waiters as w on w.pid = b.other join holders as h using (transactionid)
)
select w.pid, coalesce(t.root, n.root)::text as "table",
       coalesce(t.tuple, o.tuple, w.transactionid || ' ' || coalesce(n.root::text, '')) as row,
       t.tuple is not null as names_row, coalesce(n.is_by_trigger, false) as is_table_guessed,
       coalesce(ht.root, hn.root)::text as next,
       -- The server's tuple lock uses the modes of table locks (tupleLockExtraInfo in heapam.c).
       case t.mode when 'AccessShareLock' then 'FOR_KEY_SHARE' when 'RowShareLock' then 'FOR_SHARE'
         when 'ExclusiveLock' then 'FOR_NO_KEY_UPDATE' when 'AccessExclusiveLock' then 'FOR_UPDATE' end as mode,
       w.transactionid::text as transaction, w.query,
       greatest(extract(epoch from w.locked_at - w.waitstart) * 1000, 0)::float8 as waited_millis,
       coalesce(h.pid::text, p.gid) as holder, w.pid in (select pid from behind where pid = other) as is_in_circle,
       case when h.transactionid is null then 'NONE_YET'
         when h.pid is null then 'PREPARED'
         when hs.state is null then 'NOT_VISIBLE'
         when b.was_idle then 'IDLE_IN_TRANSACTION'
         when b.has_ended then case when hs.seen_at < w.locked_at + interval '1 ms' then 'COMMITTING' else 'NOT_VISIBLE' end
         when exists (select from locks where pid = h.pid and not granted) then 'WAITING_FOR_A_LOCK_ITSELF'
         -- PostgreSQL 17 changed the spelling of some wait events.
         when hs.query ~* '^(\s|/\*.*?\*/)*(commit|end\s*;?\s*$)' or hs.wait_event in
           ('SyncRep', 'WALSync', 'WalSync', 'WALWrite', 'WalWrite') then 'COMMITTING'
         else 'RUNNING' end as doing,
       case when h.pid is null then 'prepared transaction ' || p.gid
         when hs.state is null or hs.state like 'idle%' or b.was_idle or b.has_ended then null
         else coalesce(hs.wait_event_type || ':' || hs.wait_event, 'running') end as holder_event,
       case when hs.query <> '<insufficient privilege>' and not b.has_ended then hs.query end as holder_query,
       (case when h.pid is null then extract(epoch from w.seen_at - p.prepared) * 1000
          when b.was_idle and hs.state like 'idle%' then extract(epoch from w.locked_at - hs.state_change) * 1000 end)::float8
         as idle_millis
from waiters as w
left join tuples as t on t.pid = w.pid
left join named as n on n.pid = w.pid
left join holders as h on h.transactionid = w.transactionid
left join sessions as hs on hs.pid = h.pid
-- The activity of the holder when pg_locks was read. A holder that has ended its transaction since then was probably
-- committing, unless much time has passed.
left join lateral (
  select hs.xact_start is null or hs.xact_start > w.locked_at as has_ended, hs.state_change > w.locked_at as is_new
) as c on true
left join lateral (
  select c.has_ended, not c.has_ended and (hs.state like 'idle%') <> c.is_new as was_idle
) as b on true
left join tuples as ht on ht.pid = h.pid
left join named as hn on hn.pid = h.pid
left join single as o on o.transaction = w.transactionid::text and o.root = n.root
left join pg_prepared_xacts as p on p.transaction = h.transactionid and h.pid is null;
