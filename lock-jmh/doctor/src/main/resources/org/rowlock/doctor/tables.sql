-- Lists the tables with the most updated or deleted rows, and the rows that sequential scans read. Partitions count as
-- their root table. The column lacks_index shows whether a foreign key of the table has no index that begins with the
-- columns of the key.
select root::regclass::text as "table", t.updates, t.live, t.dead, t.scans, t.scanned, t.lacks_index,
       extract(epoch from clock_timestamp() - t.vacuumed)::float8 as vacuumed_seconds
from (select coalesce(pg_partition_root(s.relid), s.relid) as root,
             sum(s.n_tup_upd + s.n_tup_del)::int8 as updates, sum(s.n_live_tup)::int8 as live, sum(s.n_dead_tup)::int8 as dead,
             max(greatest(s.last_vacuum, s.last_autovacuum)) as vacuumed,
             sum(s.seq_scan)::int8 as scans, sum(s.seq_tup_read)::int8 as scanned,
             bool_or(exists (select from pg_constraint as k
                             where k.conrelid = s.relid and k.contype = 'f'
                               and not exists (select from pg_index as i where i.indrelid = k.conrelid and k.conkey
                                 <@ (i.indkey::int2[])[0:cardinality(k.conkey) - 1]))) as lacks_index
      from pg_stat_user_tables as s
      group by 1) as t
where t.updates > 0 or t.scanned > 0
order by t.updates desc
limit 10000;
