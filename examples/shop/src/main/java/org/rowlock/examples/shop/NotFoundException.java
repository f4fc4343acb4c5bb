package org.rowlock.examples.shop;

/** Reports that there is no such order or product. */
class NotFoundException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotFoundException(String message) {
        super(message);
    }
}
