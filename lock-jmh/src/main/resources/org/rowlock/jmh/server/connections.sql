-- Finds the limit that leaves the fewest free connections. Limits of roles and databases do not apply to a superuser.
-- The connection that runs the query counts as free.
with us as (
  select r.oid, r.rolsuper, r.rolconnlimit, d.datconnlimit, quote_ident(r.rolname) as role,
         quote_ident(d.datname) as database,
         current_setting('max_connections')::int as most,
         (select numbackends from pg_stat_database where datid = d.oid) - 1 as here,
         (select count(*)::int from pg_stat_activity where usesysid = r.oid and leader_pid is null) - 1
           as ours
    from pg_roles r, pg_database d
   where r.rolname = session_user and d.datname = current_database())
select 'max_connections', most,
       most - case when rolsuper then 0
                   else current_setting('superuser_reserved_connections')::int
                        + case when exists (select from pg_roles reserved
                                             where reserved.rolname = 'pg_use_reserved_connections'
                                               and pg_has_role(us.oid, reserved.oid, 'usage'))
                               then 0
                               else coalesce(current_setting('reserved_connections', true)::int, 0)
                          end
              end
         - (select coalesce(sum(numbackends), 0)::int from pg_stat_database) + 1,
       'Set max_connections there to'
  from us
union all
select 'the connection limit of the role ' || role, rolconnlimit, rolconnlimit - ours,
       'Run there: alter role ' || role || ' connection limit'
  from us where not rolsuper and rolconnlimit >= 0
union all
select 'the connection limit of the database ' || database, datconnlimit, datconnlimit - here,
       'Run there: alter database ' || database || ' connection limit'
  from us where not rolsuper and datconnlimit >= 0
 order by 3
 limit 1
