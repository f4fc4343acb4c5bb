package org.rowlock.examples.shop;

import org.springframework.data.repository.CrudRepository;

/** The stock. No {@code @Lock(PESSIMISTIC_WRITE)} is necessary, because the service locks the stock. */
interface StockRepository extends CrudRepository<Stock, Long> {}
