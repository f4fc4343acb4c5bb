/* A snapshot takes ProcArrayLock shared, a new session takes it exclusively, and sharers overtake it. A transaction with
   an id takes it exclusively too when it ends (variant 1): behind it the sharers queue, and newcomers get their turn. */
-- connecting connecting 10
select 1

-- beside selects clients
select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1;
select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1;
select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1;
select case :variant when 1 then pg_current_xact_id() end
