-- Checks the server and the session's role. Each row says whether the benchmarks cannot run, and why; otherwise it is a
-- condition that affects the figures.
select is_refusal, message
  from (values
    (true, pg_is_in_recovery(),
     'it is in recovery: a standby, which takes no writes and whose locks do not exclude sessions on its primary. Give'
     ' the primary with --url.'),
    (true, current_setting('transaction_read_only')::boolean,
     'transactions there are read-only (default_transaction_read_only is on), and the benchmarks have to write. Give a'
     ' user that may write with --user, or another server with --url.'),
    (true, not has_database_privilege(current_database(), 'create'),
     format('the user %s may not create the schema rowlock_bench. Run there as the owner of the database: grant create'
            ' on database %I to %I; or give another user with --user.', session_user, current_database(), session_user)),
    (true, current_setting('default_transaction_isolation') <> 'read committed',
     format('transactions of the user %s begin in %s (default_transaction_isolation), where a wait for a row lock ends'
            ' in 40001; the strategies are compared in read committed. Run there: alter role %I set'
            ' default_transaction_isolation = ''read committed''; or give another user with --user.',
            session_user, current_setting('default_transaction_isolation'), session_user)),
    (false, not current_setting('fsync')::boolean,
     'fsync is off there: commits and locks end sooner than on a durable server.'),
    (false, current_setting('synchronous_commit') = 'off',
     'synchronous_commit is off there: locks end before the commit is on disk.'),
    (false, not current_setting('track_activities')::boolean,
     'track_activities is off there: there will be no wait events.')) as checks (is_refusal, applies, message)
 where applies
union all
select false, format('%s is %s there: with many clients a wait may take longer, and its scenario then fails.',
                     name, current_setting(name))
  from pg_settings
 where name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout') and setting <> '0'
