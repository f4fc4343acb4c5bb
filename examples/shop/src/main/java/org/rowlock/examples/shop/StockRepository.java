package org.rowlock.examples.shop;

import org.springframework.data.repository.CrudRepository;

/** No {@code @Lock(PESSIMISTIC_WRITE)} any more: the service locks. */
interface StockRepository extends CrudRepository<Stock, Long> {}
