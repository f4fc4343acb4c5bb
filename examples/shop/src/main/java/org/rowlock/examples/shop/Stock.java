package org.rowlock.examples.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** How much of a product there is. Read and written as a number, so without a lock an update would be lost. */
@Entity
class Stock {
    @Id
    private long product;

    private int available;

    /** For JPA. */
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
