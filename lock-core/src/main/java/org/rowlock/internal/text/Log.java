package org.rowlock.internal.text;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The log of Rowlock. The logger is looked up for each message, because the first look-up takes milliseconds. */
public final class Log {
    private Log() {}

    public static void debug(String message, @Nullable Throwable e) {
        System.getLogger("org.rowlock").log(Level.DEBUG, message, e);
    }

    public static void info(String message) {
        System.getLogger("org.rowlock").log(Level.INFO, message);
    }

    public static void warn(String message, @Nullable Throwable e) {
        System.getLogger("org.rowlock").log(Level.WARNING, message, e);
    }
}
