package org.rowlock.examples.shop;

import java.util.Set;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.CrudRepository;

/** The orders. No {@code @Lock(PESSIMISTIC_WRITE)} is necessary, because the service locks the orders. */
interface OrderRepository extends CrudRepository<Order, Long> {
    @Query("select key(line) from Order o join o.lines line where o.id = :id")
    Set<Long> products(long id);
}
