-- The guard. A row trigger acquires the key of each updated or deleted row without waiting. A trigger that waited would
-- hold the row lock during the wait, and could deadlock with the holder of the key.
--
-- The condition (WHEN) of the trigger acquires the key. The server keeps the condition valid when columns or the
-- primary key are renamed. The server also refuses to change the primary key or a type that the condition uses, and
-- includes the condition in dumps.

-- A role with the privilege to execute this function may set rowlock.guard = off.
create or replace function rowlock.bypass_guard() returns void
language sql
as '';
revoke execute on function rowlock.bypass_guard() from public;

create or replace function rowlock.held_keys() returns int4
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select count(*)::int4 from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()
$$;

-- Acquires a row's key for the transaction that writes the row. The function returns false if it has acquired the key,
-- if a part of the id is null, or if rowlock.guard is off. Otherwise it raises an error. It never returns true.
--
-- primary_key is the index with the id columns. It is a parameter so that the server refuses to drop the index while
-- the guard exists. The local setting rowlock.guarded counts the rows that this transaction has written. It ends with
-- the transaction, and a rollback to a savepoint restores it. When the count exceeds the budget, the held keys are
-- counted instead, because many of the writes may concern the same row or a row that was locked before.
create or replace function rowlock.refuses(primary_key regclass, relation oid, budget int4, variadic id text[]) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  root oid := coalesce(pg_partition_root(relation), relation);
  id_text text := id[1];
  rows_now int4 := coalesce(nullif(current_setting('rowlock.guarded', true), ''), '0')::int4 + 1;
  held_before int4;
  held_now int4;
  taken boolean;
begin
  if coalesce(current_setting('rowlock.guard', true), '') not in ('', 'on') then
    return rowlock.bypasses(root);
  end if;
  if cardinality(id) > 1 or id_text is null or length(id_text) = 36 then
    id_text := rowlock.id_text(variadic id);
    if id_text is null then
      return false;
    end if;
  end if;
  if rows_now > budget then
    held_before := rowlock.held_keys();
  end if;
  -- The key is derived as in rowlock.key. A call of rowlock.key for each row would be too expensive.
  if id_text collate "C" ~ '^(0|-?[1-9][0-9]{0,9})$' and id_text::int8 between -2147483648 and 2147483647 then
    taken := pg_try_advisory_xact_lock(root::int4, id_text::int4);
  else
    taken := pg_try_advisory_xact_lock(('x' || substr(md5(root || ':' || id_text), 1, 16))::bit(64)::int8);
  end if;
  if not taken then
    perform rowlock.refuse(root, id_text);
  end if;
  if rows_now > budget then
    held_now := rowlock.held_keys();
    if held_now > held_before and held_now > budget then
      raise exception 'This transaction has written % rows of % and other guarded tables without locking them first. The budget of the guard allows no more, because each row takes an entry in the lock table of the server',
          budget, root::regclass
        using errcode = 'program_limit_exceeded', table = (select relname from pg_class where oid = root),
          hint = 'Write in smaller transactions; or, as a role that may execute rowlock.bypass_guard(), lock the table in'
            ' exclusive mode and set local rowlock.guard = off; or install the guard with a larger budget.';
    end if;
    rows_now := least(held_now, budget - budget / 10);
  end if;
  perform set_config('rowlock.guarded', rows_now::text, true);
  return false;
end
$$;

create or replace function rowlock.refuse(root oid, id text) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  holders text;
  shown text := left(replace(id, chr(31), ', '), 100);
begin
  select string_agg(distinct l.pid::text, ', ') into holders
  from rowlock.key(root, id) as k
  join pg_locks as l on l.locktype = 'advisory' and l.granted and l.pid <> pg_backend_pid()
    and l.database = (select oid from pg_database where datname = current_database())
    and l.objsubid = case when k.number is null then 2 else 1 end
    and l.classid = coalesce(k.first::oid, (k.number >> 32 & 4294967295)::oid)
    and l.objid = coalesce(k.second::oid, (k.number & 4294967295)::oid);
  raise exception 'Row % of % is locked by another transaction through Rowlock, and this statement does not hold its lock',
      shown, root::regclass
    using errcode = 'lock_not_available', table = (select relname from pg_class where oid = root),
      schema = (select relnamespace::regnamespace::text from pg_class where oid = root),
      detail = coalesce('Its key is held by process ' || holders || '.', 'Its key was held a moment ago.'),
      hint = 'Run the transaction again. To wait instead, lock the row through Rowlock before it is written.';
end
$$;

-- Allows a session with rowlock.guard = off to write, with a warning. Raises an error if the session's role may not do
-- so.
create or replace function rowlock.bypasses(root oid) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  passed text := coalesce(current_setting('rowlock.passed', true), '');
begin
  if current_setting('rowlock.guard') <> 'off' then
    raise exception 'rowlock.guard is <%>', current_setting('rowlock.guard')
      using errcode = 'invalid_parameter_value', hint = 'Set it to on or off.';
  end if;
  if not has_function_privilege(session_user, 'rowlock.bypass_guard()', 'execute') then
    raise exception 'The role % may not set rowlock.guard = off', session_user
      using errcode = 'insufficient_privilege', hint = format('Reset it, or grant execute on function rowlock.bypass_guard() to %I.', session_user);
  end if;
  if ',' || passed || ',' not like '%,' || root || ',%' then
    raise warning 'rowlock.guard is off: this transaction writes rows of % whose locks other transactions may hold', root::regclass;
    perform set_config('rowlock.passed', concat_ws(',', nullif(passed, ''), root), true);
  end if;
  return false;
end
$$;

-- Every writer of a guarded table runs these functions. Therefore the grants must not depend on the default privileges.
grant execute on function rowlock.refuses(regclass, oid, int4, text[]), rowlock.refuse(oid, text), rowlock.bypasses(oid),
  rowlock.held_keys(), rowlock.id_text(text[]), rowlock.key(oid, text), rowlock.root(regclass),
  rowlock.version() to public;

-- The function of the guard's trigger. It never runs, because the condition of the trigger is never true.
create or replace function rowlock.guard() returns trigger
language plpgsql
as $$
begin
  raise exception 'rowlock.refuses has neither taken the key nor raised an error';
end
$$;

-- Installs or replaces the guard of a table and its partitions.
create or replace function rowlock.install_guard(relation regclass, budget int4 default 1000, id_columns text[] default null)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  primary_key regclass;
begin
  perform rowlock.check_table(relation);
  if budget is null or budget < 1 then
    raise exception 'The budget is %', budget
      using errcode = 'invalid_parameter_value', hint = 'Give the most rows that a transaction may write without locking them.';
  end if;
  if id_columns is null then
    select i.indexrelid into primary_key from pg_index as i where i.indrelid = relation and i.indisprimary;
  end if;
  execute format(
    'create or replace trigger rowlock_guard before update or delete on %s for each row'
    ' when (rowlock.refuses(%L::regclass, old.tableoid, %s, %s)) execute function rowlock.guard(%L, %L, %L)',
    relation, primary_key, budget, rowlock.id_parts(relation, id_columns, 'old'),
    (rowlock.version()).guard, (rowlock.version()).key,
    case when id_columns is null then 'primary key' else 'given columns' end);
end
$$;

create or replace function rowlock.remove_guard(relation regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  execute format('drop trigger if exists rowlock_guard on %s', relation);
end
$$;

-- The installed guards. The column current is false if the guard has another version, or if the primary key was
-- replaced.
create or replace view rowlock.guards as
select t.tgrelid::regclass as relation,
       g.args[1] = v.guard::text and g.args[2] = v.key::text
         and (g.args[3] = 'given columns' or exists (
           select from pg_catalog.pg_depend as d
           join pg_catalog.pg_index as i on i.indexrelid = d.refobjid and i.indrelid = t.tgrelid and i.indisprimary
           where d.classid = 'pg_catalog.pg_trigger'::regclass and d.objid = t.oid
             and d.refclassid = 'pg_catalog.pg_class'::regclass)) as current,
       t.tgenabled in ('O', 'A') and not exists (
         select from pg_catalog.pg_partition_tree(t.tgrelid) as p
         join pg_catalog.pg_trigger as c on c.tgrelid = p.relid and c.tgname = t.tgname
         where c.tgenabled not in ('O', 'A')) as enabled,
       g.args[1]::int4 as guard_version, g.args[2]::int4 as key_version,
       pg_catalog.pg_get_triggerdef(t.oid) as definition
from pg_catalog.pg_trigger as t
cross join lateral pg_catalog.string_to_array(pg_catalog.encode(t.tgargs, 'escape'), '\000') as g(args)
cross join rowlock.version() as v
where t.tgname = 'rowlock_guard' and t.tgparentid = 0;
grant select on rowlock.guards to public;
