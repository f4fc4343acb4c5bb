package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The server does not do what advisory locks need: two connections were both granted one exclusive lock, or none at
 * all. Do not use {@link LockStrategy#ADVISORY} or {@link LockStrategy#BOTH} through this DataSource.
 */
public final class LockVerificationException extends LockException {
    private static final long serialVersionUID = 1;

    LockVerificationException(String message, @Nullable Throwable cause) {
        super(message, null, cause);
    }
}
