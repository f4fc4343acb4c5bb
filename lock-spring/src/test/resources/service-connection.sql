create table account (id bigint primary key, balance bigint not null);
insert into account values (1, 10), (2, 10);
