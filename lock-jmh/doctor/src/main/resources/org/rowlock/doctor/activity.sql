-- What the client sessions do now: how many, by state and wait event.
-- A session that the role may not see shows its database, and neither its type nor its statement.
select case when query = '<insufficient privilege>' then 'hidden'
            when state like 'idle in transaction%' then 'idle in transaction'
            when state in ('active', 'fastpath function call') then 'busy'
            else 'idle' end as state,
       coalesce(wait_event_type || ':' || wait_event, 'running') as event,
       count(*) as sessions
from pg_stat_activity
where pid <> pg_backend_pid() and datname is not null and coalesce(backend_type, 'client backend') = 'client backend'
group by 1, 2;
