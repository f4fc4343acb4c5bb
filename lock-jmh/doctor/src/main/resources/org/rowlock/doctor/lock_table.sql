-- Counts the entries of the shared lock table, and finds the session with the most entries. Fast-path and predicate
-- locks are not in this table. The query counts the sessions in a transaction, and those of them with predicate locks,
-- because only predicate locks prove that a transaction is SERIALIZABLE. A lock that is held outside a transaction is a
-- session-level advisory lock, and its virtualtransaction ends in /0.
with locks as materialized (
  select * from pg_locks where pid is distinct from pg_backend_pid()
), entries as (
  select pid, count(*) as entries
  from (select distinct pid, locktype, database, relation, page, tuple, virtualxid, transactionid, classid, objid, objsubid
        from locks where not fastpath and mode <> 'SIReadLock') as l
  group by pid
), kept as (
  select pid, count(*) as locks, count(*) over () as keepers from locks
  where locktype = 'advisory' and granted and virtualtransaction like '%/0' group by pid order by locks desc limit 1
), transactions as (
  -- Every transaction holds the lock of its virtual xid. A session that has been idle for a second causes no storm of
  -- rollbacks.
  select count(*) as all, count(*) filter (where pid in (select pid from locks where mode = 'SIReadLock')) as serializable
  from pg_stat_activity
  where datname = current_database() and pid in (select pid from locks where locktype = 'virtualxid' and mode = 'ExclusiveLock')
    and (state like 'idle%' and state_change < clock_timestamp() - interval '1 second') is not true
)
select coalesce(sum(e.entries) over (), 0)::int8 as entries, t.serializable, t.all as in_transaction,
       coalesce(e.entries, 0) as most, concat(e.pid, ' (' || nullif(a.application_name, '') || ')') as session,
       case when a.query <> '<insufficient privilege>' then a.query end as query,
       coalesce(k.locks, 0) as kept, coalesce(k.keepers, 0) as keepers, k.pid::text as kept_by
from transactions as t left join entries as e on true left join pg_stat_activity as a on a.pid = e.pid left join kept as k on true
order by e.entries desc
limit 1;
