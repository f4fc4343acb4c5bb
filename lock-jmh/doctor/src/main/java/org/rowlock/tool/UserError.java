package org.rowlock.tool;

import org.jspecify.annotations.Nullable;

/**
 * A failure that the user can remedy. The message is shown as it is: it says what was asked, why it cannot be, and what
 * to do.
 */
public final class UserError extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UserError(String message) {
        super(message);
    }

    public UserError(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
