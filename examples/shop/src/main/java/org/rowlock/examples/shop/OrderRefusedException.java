package org.rowlock.examples.shop;

/** An order cannot be placed, shipped or cancelled as things stand; nothing has changed. */
class OrderRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OrderRefusedException(String message) {
        super(message);
    }
}
