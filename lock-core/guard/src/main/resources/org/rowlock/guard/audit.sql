-- The audit. After each UPDATE and DELETE, a statement trigger checks whether the transaction holds the keys of the
-- rows exclusively. If a key is missing, the trigger records the writer. The audit never blocks a transaction or makes
-- it fail: the trigger only inserts rows, and acquires no advisory lock.

create table if not exists rowlock.note (
  relation regclass not null,
  writer text not null,
  operation text not null,
  role text not null,
  application text not null,
  query text not null,
  context text not null,
  seen timestamptz not null
);
create index if not exists note_writer on rowlock.note (writer, seen);

-- The writers that did not hold the lock, each writer once. last_seen may be up to an hour before the last write.
create or replace view rowlock.stray_writers as
select n.relation, n.operation, n.role, n.application, min(n.query) as query, min(n.context) as context,
       min(n.seen) as first_seen, max(n.seen) as last_seen
from rowlock.note as n
group by n.relation, n.writer, n.operation, n.role, n.application;
revoke all on rowlock.note, rowlock.stray_writers from public;
grant select on rowlock.stray_writers to pg_monitor;

-- The function of the audit's triggers. The arguments are the guard's version, the time of the installation, the share
-- of checked statements, the SQL expressions for the id, and a marker if the id columns were given. If a column of the
-- primary key was renamed, the function builds the SQL expressions again.
--
-- The function runs with the privileges of the writer. The owner of the table determines the SQL in its arguments, and
-- this SQL must have no more privileges than the owner's other triggers have.
create or replace function rowlock.audit() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  root regclass := rowlock.root(tg_relid);
  ids text[];
  context text;
begin
  if not exists (select from changed) then
    return null;
  end if;
  begin
    execute format('select array_agg(rowlock.id_text(%s)) from changed as c', tg_argv[3]) into ids;
  exception when undefined_column then
    if tg_nargs > 4 then
      raise;
    end if;
    execute format('select array_agg(rowlock.id_text(%s)) from changed as c', rowlock.id_parts(root, null, 'c')) into ids;
  end;
  if rowlock.holds_all(root, ids) then
    return null;
  end if;
  get diagnostics context = pg_context;
  perform rowlock.note_writer(root, tg_op, context);
  return null;
exception when others then
  -- An error of the audit must not make the writer fail.
  raise warning 'Rowlock could not audit a write to %: %', root, sqlerrm;
  return null;
end
$$;

-- Whether this transaction holds the keys of rows exclusively.
create or replace function rowlock.holds_all(root oid, ids text[]) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
begin
  return not exists (
    with mine as materialized (
      select l.classid, l.objid, l.objsubid from pg_locks as l
      where l.pid = pg_backend_pid() and l.locktype = 'advisory' and l.granted and l.mode = 'ExclusiveLock')
    select from unnest(ids) as i(id) cross join lateral rowlock.key(root, i.id) as k
    where i.id is not null and not exists (
      select from mine as m
      where m.objsubid = case when k.number is null then 2 else 1 end
        and m.classid = case when k.number is null then k.first::oid else (k.number >> 32 & 4294967295)::oid end
        and m.objid = case when k.number is null then k.second::oid else (k.number & 4294967295)::oid end));
end
$$;

-- Records a writer, at most once an hour. Each session also remembers the writers that it has recorded, in a setting.
-- In SERIALIZABLE the records of other sessions are not read, because reading them could make the transaction fail. Any
-- role can call this function, but can only record itself.
create or replace function rowlock.note_writer(root regclass, operation text, context text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  role text := coalesce(nullif(current_setting('role'), 'none'), session_user);
  application text := left(current_setting('application_name'), 100);
  query text := coalesce(current_query(), '');
  -- The part of the call stack above the audit: the trigger, function or cascade that has written the row.
  via text := coalesce(
    nullif(left(trim(e'\n' from regexp_replace(context, '^PL/pgSQL function rowlock\.audit\(\)[^\n]*', '')), 500), ''),
    case when position(lower((select relname from pg_class where oid = root)) in lower(query)) = 0
         then 'the action of a foreign key, a view or a rule' else '' end);
  -- The form of the statement, without its values. Statements of the same form count as one writer.
  form text := regexp_replace(left(query, 2000), '''([^'']|'''')*''|\m[0-9][0-9.]*', '?', 'g');
  who text := md5(concat_ws(chr(31), root::oid, operation, role, application, left(form, 500), via));
  this_hour text := to_char(now() at time zone 'UTC', 'YYYYMMDDHH24');
  noted text := coalesce(current_setting('rowlock.noted', true), '');
begin
  if noted not like this_hour || '%' or length(noted) > 1000 then
    noted := this_hour;
  elsif position(who in noted) > 0 then
    return;
  end if;
  perform set_config('rowlock.noted', noted || ' ' || who, false);
  if current_setting('transaction_isolation') <> 'serializable' then
    if exists (select from rowlock.note as n where n.writer = who and n.seen > now() - interval '1 hour') then
      return;
    end if;
    if (select count(distinct n.writer) from rowlock.note as n where n.relation = root) >= 1000 then
      return;
    end if;
  end if;
  insert into rowlock.note values (root, who, operation, role, application, left(query, 500), via, now());
end
$$;
grant execute on function rowlock.note_writer(regclass, text, text), rowlock.holds_all(oid, text[]),
  rowlock.id_parts(regclass, text[], text), rowlock.id_columns(regclass, text[]) to public;

-- Installs the audit of a table and its current partitions. sample is the share of statements that are checked: 1 means
-- all statements.
create or replace function rowlock.install_audit(relation regclass, sample float8 default 1, id_columns text[] default null)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  parts text;
  part regclass;
  event text;
begin
  perform rowlock.check_table(relation);
  if sample is null or not sample > 0 or sample > 1 then
    raise exception 'The sample is %', sample
      using errcode = 'invalid_parameter_value', hint = 'Give the share of statements to check: above 0, and at most 1.';
  end if;
  parts := rowlock.id_parts(relation, id_columns, 'c');
  perform rowlock.remove_audit(relation);
  for part in select relation union select p.relid from pg_partition_tree(relation) as p
              join pg_class as c on c.oid = p.relid where c.relkind in ('r', 'p') loop
    foreach event in array array['update', 'delete'] loop
      execute format(
        'create trigger rowlock_audit_%s after %s on %s referencing old table as changed for each statement%s'
        ' execute function rowlock.audit(%L, %L, %L, %L%s)',
        event, event, part, case when sample < 1 then format(' when (random() < %s)', sample) end,
        (rowlock.version()).guard, to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), sample, parts,
        case when id_columns is not null then ', ''given''' end);
    end loop;
  end loop;
end
$$;

create or replace function rowlock.remove_audit(relation regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  t record;
begin
  for t in select g.tgname, g.tgrelid::regclass as part from pg_trigger as g
           where g.tgname in ('rowlock_audit_update', 'rowlock_audit_delete')
             and g.tgrelid in (select relation union select p.relid from pg_partition_tree(relation) as p) loop
    execute format('drop trigger %I on %s', t.tgname, t.part);
  end loop;
end
$$;

-- The audited tables, and the time at which each audit was installed.
create or replace view rowlock.audits as
select t.tgrelid::regclass as relation,
       split_part(encode(t.tgargs, 'escape'), '\000', 1)::int4 as guard_version,
       split_part(encode(t.tgargs, 'escape'), '\000', 2)::timestamptz as since,
       split_part(encode(t.tgargs, 'escape'), '\000', 3)::float8 as sample,
       t.tgenabled in ('O', 'A') as enabled
from pg_catalog.pg_trigger as t
join pg_catalog.pg_class as c on c.oid = t.tgrelid and not c.relispartition
where t.tgname = 'rowlock_audit_update';
grant select on rowlock.audits to public;
