-- Counters that only grow, and the ages of the oldest xid and MultiXact; two readings give what was added in between.
select (extract(epoch from clock_timestamp()) * 1000000)::int8 as micros,
       pg_snapshot_xmax(pg_current_snapshot())::text::int8 as xids,
       mxid_age('1') as multixacts, -- wraps around
       d.xact_commit + d.xact_rollback as transactions,
       d.xact_rollback as rollbacks,
       d.deadlocks,
       (select count(*) from pg_locks where mode = 'SIReadLock') as serializable_reads,
       case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8 end as wal_bytes,
       (select max(age(datfrozenxid)) from pg_database) as xid_age,
       (select max(mxid_age(datminmxid)) from pg_database) as multixact_age
from pg_stat_database as d
where d.datname = current_database();
