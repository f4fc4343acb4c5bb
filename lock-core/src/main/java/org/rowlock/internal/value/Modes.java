package org.rowlock.internal.value;

import org.rowlock.RowLockMode;

/** The properties of the lock modes. */
public final class Modes {
    private Modes() {}

    /** Whether several transactions can hold the mode on one key at a time. */
    public static boolean isShared(RowLockMode mode) {
        return mode == RowLockMode.FOR_SHARE || mode == RowLockMode.FOR_KEY_SHARE;
    }

    /** Returns the locking clause in lower case, such as {@code for update}. */
    public static String sql(RowLockMode mode) {
        return switch (mode) {
            case FOR_UPDATE -> "for update";
            case FOR_NO_KEY_UPDATE -> "for no key update";
            case FOR_SHARE -> "for share";
            case FOR_KEY_SHARE -> "for key share";
        };
    }
}
