-- Tables by how much they are updated, partitions under their root, and whether foreign keys lead to them.
select root::regclass::text as table_name, t.updates, t.hot_updates, t.live, t.dead, t.is_referenced,
       extract(epoch from clock_timestamp() - t.vacuumed)::float8 as vacuumed_s
from (select coalesce(pg_partition_root(s.relid), s.relid) as root,
             sum(s.n_tup_upd)::int8 as updates, sum(s.n_tup_hot_upd)::int8 as hot_updates,
             sum(s.n_live_tup)::int8 as live, sum(s.n_dead_tup)::int8 as dead,
             max(greatest(s.last_vacuum, s.last_autovacuum)) as vacuumed,
             bool_or(f.confrelid is not null) as is_referenced
      from pg_stat_user_tables as s
      left join (select distinct confrelid from pg_constraint where contype = 'f') as f on f.confrelid = s.relid
      group by 1) as t
where t.updates > 0 or t.is_referenced
order by t.updates desc
limit 10000;
