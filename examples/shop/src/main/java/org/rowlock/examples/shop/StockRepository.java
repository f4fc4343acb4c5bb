package org.rowlock.examples.shop;

import org.springframework.data.repository.CrudRepository;

/** The stock. It needs no {@code @Lock(PESSIMISTIC_WRITE)}, because the service locks it. */
interface StockRepository extends CrudRepository<Stock, Long> {}
