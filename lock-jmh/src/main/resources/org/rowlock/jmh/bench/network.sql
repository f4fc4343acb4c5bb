-- measured trip clients
select 1
