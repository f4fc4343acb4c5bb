-- Finds the user's relations that have the given names. The query also returns the statements that copy a relation with
-- sample rows. The sample has at most 10,000 rows, and at most about 16 MB unless 100 rows take more. If a default uses
-- a sequence, the copy gets its own sequence, because taking a number would change the user's sequence.
with named as (
  select c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, c.reloptions,
         (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')
           as columns,
         greatest(100, least(10000, 16e6 / greatest(1, (
           select sum(pg_table_size(p.oid)) / greatest(1, sum(p.reltuples)) from pg_class p
            where p.oid = c.oid or p.oid in (select relid from pg_partition_tree(c.oid))))))::int as most
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
     and n.nspname not in ('pg_catalog', 'information_schema')
     and (c.relname = any (?::text[]) and pg_table_is_visible(c.oid)
          or n.nspname || '.' || c.relname = any (?::text[]))
), numbered as (
  select a.attrelid, a.attnum, a.attname, s.oid as sequence, coalesce(s.relname, '') as relname,
         a.attidentity <> '' as is_identity,
         pg_get_expr(d.adbin, d.adrelid) as preset, a.atttypid in (20, 21, 23) as is_number
    from pg_attribute a
    join named on named.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_depend p on p.classid = 'pg_attrdef'::regclass and p.objid = d.oid
                         and p.refclassid = 'pg_class'::regclass
    left join pg_class s on s.oid = p.refobjid and s.relkind = 'S'
   where a.attidentity <> '' or s.oid is not null)
select c.oid, c.nspname, c.relname, c.relkind,
       case when c.relkind = 'S' then array[format('create sequence if not exists %I', c.relname)]
            when c.relkind in ('r', 'p') then array[
              format('create %s table %I (like %I.%I including all)%s',
                     case when c.relpersistence = 'u' then 'unlogged' end, c.relname, c.nspname, c.relname,
                     ' with (' || (select string_agg(format('%I = %L', option_name, option_value), ', ')
                                     from pg_options_to_table(c.reloptions)) || ')'),
              format('insert into %I (%s) overriding system value select %s from %I.%I limit %s',
                     c.relname, c.columns, c.columns, c.nspname, c.relname, c.most)] end
       || array(select statement from numbered b, unnest(array[
                  format('create sequence if not exists %I', b.relname),
                  format('alter table %I alter column %I set default %s', c.relname, b.attname,
                         replace(b.preset, quote_literal(b.sequence::regclass),
                                 quote_literal(quote_ident(b.relname)))),
                  format('select setval(%L, (select coalesce(max(%I), 0) + 1 from %I), false)',
                         quote_ident(b.relname), b.attname, c.relname),
                  format('select setval(pg_get_serial_sequence(%L, %L),'
                         ' (select coalesce(max(%I), 0) + 1 from %I), false)',
                         quote_ident(c.relname), b.attname, b.attname, c.relname)
                ]) with ordinality as u (statement, step)
                where b.attrelid = c.oid
                  and case when step = 4 then b.is_identity else not b.is_identity end
                  and (step < 3 or b.is_number)
                order by b.attnum, step),
       c.columns,
       array(select a.attname::text from unnest(x.indkey::int2[]) with ordinality as k (attnum, place)
               join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
              where k.place <= x.indnkeyatts order by k.place),
       concat_ws(', ',
         (select 'triggers (' || count(*) || ')' from pg_trigger where tgrelid = c.oid and not tgisinternal
          having count(*) > 0),
         (select 'foreign keys (' || count(*) || ')' from pg_constraint
           where contype = 'f' and (conrelid = c.oid or confrelid = c.oid) having count(*) > 0),
         (select 'policies (' || count(*) || ')' from pg_policy where polrelid = c.oid having count(*) > 0),
         case when c.relkind = 'p' then 'partitions' end)
  from named c left join pg_index x on x.indrelid = c.oid and x.indisprimary
