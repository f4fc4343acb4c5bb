-- Rowlock's guard, version 2, for key version 1. This script is idempotent; run it in one transaction. It creates a
-- schema "rowlock" with functions, a table and views, and changes no other table. The first run needs the privilege
-- CREATE on the database. If the schema already exists, the role must own the schema.
do $$
declare
  owner oid := (select n.nspowner from pg_catalog.pg_namespace as n where n.nspname = 'rowlock');
begin
  -- Without this lock, two concurrent migrations could try to replace the same functions.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('rowlock.install', 0));
  if owner is null then
    create schema rowlock;
  elsif not pg_catalog.pg_has_role(owner, 'USAGE') then
    raise exception 'The schema rowlock belongs to %, and this role could replace the functions that every writer of a guarded table runs',
      owner::pg_catalog.regrole using errcode = 'insufficient_privilege', hint = 'Install as that role, or drop the schema.';
  end if;
end
$$;

grant usage on schema rowlock to public;

create or replace function rowlock.version(out guard int4, out key int4)
language sql immutable
as 'select 2, 1';

-- The table that a row's key belongs to: rule 1 of https://github.com/rowlock/rowlock/blob/main/docs/keys.md
create or replace function rowlock.root(relation regclass) returns regclass
language sql stable set search_path = pg_catalog, pg_temp
as 'select coalesce(pg_partition_root(relation), relation)';

-- The id columns: the given columns, or the columns of the primary key if none are given.
create or replace function rowlock.id_columns(relation regclass, given text[]) returns text[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(given, (select array_agg(a.attname::text order by k.n)
                          from pg_index as i
                          cross join unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality as k(attnum, n)
                          join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
                          where i.indrelid = relation and i.indisprimary))
$$;

-- The SQL expressions for the parts of a row's id as canonical texts (rule 2): one expression for each column.
create or replace function rowlock.id_parts(relation regclass, given text[], alias text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  name text;
  value text;
  type oid;
  kind "char";
  deterministic boolean;
  parts text[];
begin
  foreach name in array coalesce(rowlock.id_columns(relation, given), '{}') loop
    select a.atttypid, coalesce(c.collisdeterministic, true) into type, deterministic
    from pg_attribute as a left join pg_collation as c on c.oid = a.attcollation
    where a.attrelid = relation and a.attname = name and a.attnum > 0 and not a.attisdropped;
    if not found then
      raise exception 'Table % has no column %', relation, name
        using errcode = 'undefined_column', hint = 'Write the id columns as the catalog has them, without quotes.';
    end if;
    select t.typtype into kind from pg_type as t where t.oid = type;
    while kind = 'd' loop
      select t.typbasetype, b.typtype into type, kind
      from pg_type as t join pg_type as b on b.oid = t.typbasetype where t.oid = type;
    end loop;
    value := format('%s.%I', alias, name);
    case
      when kind = 'e' or type in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype, 'text'::regtype,
                                  'varchar'::regtype, 'bpchar'::regtype, 'time'::regtype) then
        value := value || '::text';
      when type = 'numeric'::regtype then
        value := format('trim_scale(%s)::text', value);
      -- to_json prints dates and times in ISO form, whatever the setting datestyle is. For dates before the common era,
      -- the canonical text has a space instead of the T.
      when type = 'date'::regtype then
        value := format('(to_json(%s) #>> ''{}'')', value);
      when type = 'timestamp'::regtype then
        value := format('(to_json(%s) #>> ''{}'')', value);
        value := format('case when %s like ''%% BC'' then replace(%s, ''T'', '' '') else %s end', value, value, value);
      when type = 'timestamptz'::regtype then
        value := format('(to_json(%s at time zone ''UTC'') #>> ''{}'')', value);
        value := format('case when %s like ''%% BC'' then replace(replace(%s, ''T'', '' ''), '' BC'', ''+00 BC'')'
                        ' when %s like ''%%infinity'' then %s else %s || ''Z'' end', value, value, value, value, value);
      else
        raise exception 'Column % of % is of type %, which cannot be a lock key', name, relation, type::regtype
          using errcode = 'feature_not_supported', hint = 'For the types of an id see https://github.com/rowlock/rowlock/blob/main/docs/keys.md#ids';
    end case;
    if not deterministic then
      raise exception 'Column % of % has a nondeterministic collation, so two spellings of an id are one row, but two keys',
        name, relation using errcode = 'feature_not_supported', hint = 'Give the column a deterministic collation.';
    end if;
    parts := parts || value;
  end loop;
  if parts is null then
    raise exception 'Table % has no primary key, so its rows have no ids for keys', relation
      using errcode = 'invalid_table_definition', hint = 'Add a primary key, or give the columns that the application locks by.';
  end if;
  return array_to_string(parts, ', ');
end
$$;

-- The parts of an id as one text (rule 2). The result is null if a part is null, because such a row cannot be locked by
-- its id.
create or replace function rowlock.id_text(variadic parts text[]) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  for i in 1 .. cardinality(parts) loop
    if parts[i] is null then
      return null;
    end if;
    if length(parts[i]) = 36 and parts[i] collate "C" ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      parts[i] := lower(parts[i] collate "C");
    end if;
  end loop;
  return array_to_string(parts, chr(31));
end
$$;

-- The key of a row (rules 3 and 4): a pair, or a number.
create or replace function rowlock.key(root oid, id text, out first int4, out second int4, out number int8)
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if id collate "C" ~ '^(0|-?[1-9][0-9]{0,9})$' and id::int8 between -2147483648 and 2147483647 then
    first := root::int4;
    second := id::int4;
  elsif id is not null then
    number := ('x' || substr(md5(root || ':' || id), 1, 16))::bit(64)::int8;
  end if;
end
$$;

-- Checks that a table can have a guard or an audit: its rows must have keys.
create or replace function rowlock.check_table(relation regclass) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from pg_class as c where c.oid = relation and c.relkind in ('r', 'p')) then
    raise exception '% is not a table', relation
      using errcode = 'wrong_object_type', hint = 'Name the table whose rows are to be locked.';
  end if;
  if rowlock.root(relation) <> relation then
    raise exception '% is a partition of %, and its rows have the keys of that table', relation, rowlock.root(relation)
      using errcode = 'wrong_object_type', hint = format('Name %s; it covers the partitions.', rowlock.root(relation));
  end if;
  if exists (select from pg_inherits as i join pg_class as c on c.oid = i.inhparent
             where relation in (i.inhrelid, i.inhparent) and c.relkind <> 'p') then
    raise exception '% is in a tree of INHERITS, where a row has one key in the parent and another in the child', relation
      using errcode = 'wrong_object_type', hint = 'Stay at strategy BOTH, or use declarative partitions.';
  end if;
end
$$;
