-- Reads the counters of this database's statements. The difference of two readings is the activity between them. The
-- query needs the extension pg_stat_statements, and the extension's schema in the search_path. All statements that the
-- role may not see count as one statement.
select s.queryid, min(s.query) as query, sum(s.calls)::int8 as calls,
       sum(s.total_exec_time)::float8 as millis, sum(s.rows)::int8 as rows, sum(s.wal_bytes)::float8 as wal_bytes,
       sum(s.shared_blks_hit + s.shared_blks_read)::int8 as blocks
from pg_stat_statements as s
where s.dbid = (select oid from pg_database where datname = current_database())
group by s.queryid;
