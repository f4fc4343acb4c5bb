package org.rowlock.examples.shop;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for an order.
 *
 * @param customer the name of the customer
 * @param lines a quantity per product, at least one
 */
record PlaceOrder(String customer, Map<Long, Integer> lines) {
    PlaceOrder(@Nullable String customer, @Nullable Map<Long, Integer> lines) {
        if (customer == null || customer.isBlank()) {
            throw new IllegalArgumentException("The order names no customer");
        }
        if (lines == null || lines.isEmpty()) {
            throw new IllegalArgumentException("The order has no lines");
        }
        lines.forEach((product, quantity) -> {
            if (quantity == null || quantity < 1) {
                throw new IllegalArgumentException(
                        "The quantity of product " + product + " is " + quantity + "; it must be at least 1");
            }
        });
        this.customer = customer;
        this.lines = Map.copyOf(lines);
    }
}
