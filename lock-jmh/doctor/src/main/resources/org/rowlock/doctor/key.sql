-- The start of the statement that reads a row's primary key by its page and tuple number, if the role may read the key;
-- without row security, which may hide rows or run functions. In psql: -v relation=<oid of the table>.
select format('select concat_ws('', '', %s) as key from only %s where ctid = ',
         string_agg(format('concat(%L, t.%I)', a.attname || '=', a.attname), ', ' order by k.position),
         i.indrelid::regclass::text || ' as t') as statement,
       bool_and(has_column_privilege(i.indrelid, a.attnum, 'select')) and not bool_or(c.relrowsecurity) as may_read
from pg_index as i
cross join lateral unnest(i.indkey) with ordinality as k (attnum, position)
join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
join pg_class as c on c.oid = i.indrelid
where i.indrelid = :relation and i.indisprimary and k.position <= i.indnkeyatts
group by i.indrelid;
