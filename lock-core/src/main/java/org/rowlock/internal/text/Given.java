package org.rowlock.internal.text;

import org.jspecify.annotations.Nullable;

/** Arguments of the API. */
public final class Given {
    private Given() {}

    /**
     * {@return the value}
     *
     * @throws IllegalArgumentException if it is null
     */
    public static <T> T notNull(@Nullable T value, String message) {
        if (value == null) {
            throw new IllegalArgumentException(message);
        }
        return value;
    }

    /**
     * {@return the text}
     *
     * @throws IllegalArgumentException if it is null or blank
     */
    public static String text(@Nullable String value, String what, String cure) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(what + " is " + (value == null ? "null" : "blank") + "; give " + cure);
        }
        return value;
    }
}
