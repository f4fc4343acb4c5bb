/* A session records a weak table lock in its own slots. If any session holds or requests a strong table lock in the
   same of 1,024 partitions, the weak lock goes through the shared lock table instead. The partition is a hash of the 16
   bytes of a lock tag (FastPathStrongLockHashPartition and LockTagHashCode in lock.c). The first 12 bytes are database,
   relation and 0. The last 4 bytes are 0 as 16 bits, the lock type (0 for a relation) and the lock method (1 by
   default), which a little-endian server reads as 2^24. In variant 0 the truncated table is in another partition than
   the readers' table, and in variant 1 in the same. */
-- setup
create view candidate as
select c.oid, c.relname, c.relkind,
       hashoidvector((d.oid || ' ' || c.oid || ' 0 16777216')::oidvector) & 1023 as partition
  from pg_class c, pg_database d
 where d.datname = current_database() and c.relnamespace = current_schema()::regnamespace and c.relname like 'lw\_%'

do $$
declare
    hot text;
    other text;
begin
    for batch in 1..32 loop
        for i in 1..64 loop
            execute format('create table lw_%s_%s (id int, number int)', batch, i);
        end loop;
        select a.relname, b.relname into hot, other
          from candidate a join candidate b using (partition) where a.oid < b.oid order by a.oid, b.oid limit 1;
        exit when found;
    end loop;
    execute format('alter table %I add constraint lw_hot_key primary key (id)', hot);
    if :variant = 0 then
        select relname into other from candidate
         where relkind = 'r'
           and partition not in (select partition from candidate where relname in (hot, 'lw_hot_key')) limit 1;
    end if;
    execute format('alter table %I rename to hot', hot);
    execute format('alter table %I rename to truncated', other);
end $$

insert into hot select i, i from generate_series(1, 1000) i

vacuum analyze hot

-- measured reader clients
select number from hot where id = 1 + floor(random() * 1000)::int

-- beside truncates 10
truncate truncated

-- holds
select count(*) = 1000 from hot
