/* The clients lock and read rows that seldom coincide: in variant 0 by row locks, and in variant 1 by advisory locks. */
-- setup
create table account (id int primary key, balance int)

insert into account select i, 0 from generate_series(1, 100000) i

vacuum analyze account

do $$
begin
    execute case :variant when 0
        then 'create function locked(key int) returns int begin atomic'
             ' select balance from account where id = key for update; end'
        else 'create function locked(key int) returns int begin atomic'
             ' select pg_advisory_xact_lock(4711, key); select balance from account where id = key; end'
    end;
end $$

-- measured client clients
select locked(1 + floor(random() * 100000)::int)

-- holds
select count(*) = 100000 from account
