package org.rowlock.internal.text;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandles;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowlockException;

/** The door to the public exceptions, whose constructors nobody outside can call. */
public final class Exceptions {
    private static volatile @Nullable Maker maker;

    private Exceptions() {}

    /** What has their constructors: their root. */
    public interface Maker {
        RowlockException make(Class<?> type, String message, @Nullable String sqlState, @Nullable Throwable cause);
    }

    public static void madeBy(Maker given) {
        maker = given;
    }

    public static <E extends RowlockException> E of(Class<E> type, String message) {
        return of(type, message, null, null);
    }

    /** With the SQLSTATE of its cause. */
    public static <E extends RowlockException> E of(Class<E> type, String message, SQLException cause) {
        return of(type, message, cause.getSQLState(), cause);
    }

    public static <E extends RowlockException> E of(
            Class<E> type, String message, @Nullable String sqlState, @Nullable Throwable cause) {
        if (maker == null) {
            try {
                MethodHandles.lookup().ensureInitialized(RowlockException.class);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return type.cast(requireNonNull(maker).make(type, message, sqlState, cause));
    }
}
