/* The rows are spread over four times as many pages as there are buffers. In variant 0 the readers use a quarter as
   many pages as there are buffers. In variant 1 each read takes a buffer from another page. */
-- setup
create unlogged table lookup (id int, number int) with (fillfactor = 10)

insert into lookup
select i, i
  from generate_series(1, 22 * least(4 * pg_size_bytes(current_setting('shared_buffers')), 256 << 20) / 8192) i

alter table lookup add primary key (id)

/* Without the freeze, readers would write pages to mark rows as committed. */
vacuum (freeze, analyze) lookup

create table entry (id bigint generated always as identity primary key, at timestamptz)

create table range as select max(id) / case :variant when 0 then 16 else 1 end as ids from lookup

-- measured inserter 1
insert into entry (at) values (clock_timestamp())

-- beside reads clients
select count(*), sum(number)
  from lookup
 where id = any (array(select 1 + floor(random() * ids)::int from range, generate_series(1, 30)))

-- holds
select count(*) = :measured from entry
