package org.rowlock.examples.shop;

/** Reports that an order cannot be placed, shipped or cancelled in its present state. Nothing has changed. */
class OrderRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OrderRefusedException(String message) {
        super(message);
    }
}
