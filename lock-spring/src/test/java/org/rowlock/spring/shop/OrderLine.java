package org.rowlock.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** Boot's naming strategy puts it into order_line. */
@Entity
class OrderLine {
    @Id
    Long id;

    int shippedAmount;
}
