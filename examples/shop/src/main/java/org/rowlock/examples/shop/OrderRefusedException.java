package org.rowlock.examples.shop;

/**
 * Reports that the stock is too small for an order, or that an order was already shipped or cancelled. The request had
 * no effect.
 */
class OrderRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OrderRefusedException(String message) {
        super(message);
    }
}
