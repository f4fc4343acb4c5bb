-- Reads counters that only grow. The difference of two readings is the activity between them.
select (extract(epoch from clock_timestamp()) * 1000000)::int8 as micros,
       pg_snapshot_xmax(pg_current_snapshot())::text::int8 as xids,
       mxid_age('1')::int8 & 4294967295 as multixacts,
       d.xact_commit + d.xact_rollback as transactions,
       d.xact_rollback as rollbacks,
       d.deadlocks,
       case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8 end as wal_bytes
from pg_stat_database as d
where d.datname = current_database();
