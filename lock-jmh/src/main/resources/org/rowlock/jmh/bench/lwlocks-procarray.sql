/* A snapshot takes ProcArrayLock in shared mode. A new session takes the lock exclusively, and shared requests may
   overtake the session. In variant 1, the end of each transaction with an id takes the lock exclusively too. Shared
   requests then queue, and new sessions get the lock. */
-- connecting connecting 10
select 1

-- beside selects clients
select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1;
select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1;
select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1;
select case :variant when 1 then pg_current_xact_id() end
