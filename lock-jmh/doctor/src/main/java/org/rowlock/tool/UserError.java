package org.rowlock.tool;

import org.jspecify.annotations.Nullable;

/**
 * A failure that the user can remedy. The program prints the message unchanged. The message names the request, the
 * reason why the request failed, and the remedy.
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
