-- Counts the entries of the shared lock table, and finds the session with the most entries. Fast-path and predicate
-- locks are not in this table. The query counts predicate locks separately, because they prove that transactions are
-- SERIALIZABLE. A lock that is held outside a transaction is a session-level advisory lock, and its virtualtransaction
-- ends in /0.
with entries as (
  select pid, count(*) as entries
  from (select distinct pid, locktype, database, relation, page, tuple, virtualxid, transactionid, classid, objid, objsubid
        from pg_locks where not fastpath and mode <> 'SIReadLock' and pid is distinct from pg_backend_pid()) as l
  group by pid
), kept as (
  select pid, count(*) as locks from pg_locks
  where locktype = 'advisory' and granted and virtualtransaction like '%/0' group by pid order by locks desc limit 1
)
select coalesce(sum(e.entries) over (), 0)::int8 as entries, (select count(*) from pg_locks where mode = 'SIReadLock') as serializable,
       coalesce(e.entries, 0) as most, concat(e.pid, ' (' || nullif(a.application_name, '') || ')') as session,
       case when a.query <> '<insufficient privilege>' then a.query end as query,
       coalesce(k.locks, 0) as kept, k.pid::text as kept_by
from (values (1)) as one left join entries as e on true left join pg_stat_activity as a on a.pid = e.pid left join kept as k on true
order by e.entries desc
limit 1;
