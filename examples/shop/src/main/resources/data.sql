insert into stock (product, initial, available)
select product, 100000, 100000 from generate_series(1, 20) as product
on conflict do nothing;
