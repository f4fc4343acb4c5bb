package org.rowlock.examples.demo;

import org.jspecify.annotations.Nullable;

/** The demo cannot go on. The message is all that the user sees: what was asked, why not, what to do. */
final class DemoException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DemoException(String message) {
        super(message);
    }

    DemoException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
