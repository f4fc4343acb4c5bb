package org.rowlock.examples.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/**
 * The stock of a product. The service reads the quantity and writes a new quantity, so an update could be lost without
 * a lock.
 */
@Entity
class Stock {
    @Id
    private long product;

    private int available;

    /** Creates an instance for JPA. */
    protected Stock() {}

    long product() {
        return product;
    }

    void take(int quantity) {
        if (quantity > available) {
            throw new OrderRefusedException(
                    "Product " + product + ": " + quantity + " were ordered and " + available + " are left.");
        }
        available -= quantity;
    }

    void putBack(int quantity) {
        available += quantity;
    }
}
