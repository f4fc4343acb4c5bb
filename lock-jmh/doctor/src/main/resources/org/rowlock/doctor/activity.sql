-- Counts the client sessions by state and wait event. It also counts those that keep a snapshot between two statements,
-- as in REPEATABLE READ and SERIALIZABLE, and those in a failed transaction. It shows the statements that request a
-- lock NOWAIT, and run now or ran in the last second. A session that the role may not see shows its database, but
-- neither type nor statement.
select case when query = '<insufficient privilege>' then 'hidden'
            when state like 'idle in transaction%' then 'idle in transaction'
            when state in ('active', 'fastpath function call') then coalesce(wait_event_type || ':' || wait_event, 'running')
            else 'idle' end as doing,
       query <> '<insufficient privilege>' and state in ('active', 'fastpath function call') as is_busy,
       case when query ~* '\mnowait\M' and (state = 'active' or state_change > now() - interval '1 second')
         then query end as nowait_query,
       count(*) as sessions,
       count(*) filter (where state like 'idle in transaction%' and backend_xmin is not null) as snapshots,
       count(*) filter (where state = 'idle in transaction (aborted)') as aborted
from pg_stat_activity
where pid <> pg_backend_pid() and datname is not null and coalesce(backend_type, 'client backend') = 'client backend'
group by 1, 2, 3;
