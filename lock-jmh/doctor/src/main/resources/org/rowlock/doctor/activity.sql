-- Counts the client sessions by state and wait event, and the sessions in a failed transaction. The column nowait_query
-- shows statements with NOWAIT that run now or ran in the last second. For a session of another role, the server may
-- show only the database. A session that reads statistics of the server is a monitor and not part of the load.
select case when is_monitor then 'monitors'
            when query = '<insufficient privilege>' then 'hidden'
            when state like 'idle in transaction%' then 'idle in transaction'
            when state in ('active', 'fastpath function call') then coalesce(wait_event_type || ':' || wait_event, 'running')
            else 'idle' end as doing,
       not is_monitor and query <> '<insufficient privilege>' and state in ('active', 'fastpath function call') as is_busy,
       case when query ~* '\mnowait\M' and (state = 'active' or state_change > now() - interval '1 second')
         then query end as nowait_query,
       count(*) as sessions,
       count(*) filter (where state = 'idle in transaction (aborted)') as aborted
from (select *, coalesce(application_name, '') = 'rowlock-doctor'
               or coalesce(query, '') ~* '\m(from|join)\s+("?pg_catalog"?\.)?"?(pg_locks|pg_stat_\w+)\M' as is_monitor
      from pg_stat_activity) as a
where pid <> pg_backend_pid() and datname is not null and coalesce(backend_type, 'client backend') = 'client backend'
group by 1, 2, 3;
