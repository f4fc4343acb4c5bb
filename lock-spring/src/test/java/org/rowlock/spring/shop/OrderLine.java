package org.rowlock.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Spring Boot's naming strategy maps this entity to the table order_line. */
@Entity
class OrderLine {
    @Id
    Long id;

    int shippedAmount;
}
