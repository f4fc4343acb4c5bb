package org.rowlock.internal.request;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowlockException;
import org.rowlock.internal.text.Exceptions;

/**
 * What was asked, for messages.
 *
 * @param keys how many distinct keys
 * @param id the parts of the first id, if only the server knows whether its column takes it
 */
public record Asked(
        String what, int keys, @Nullable String table, List<String> id, boolean hotStandby, KeyNames names) {

    /** The exception that says why this cannot be locked, with the SQLSTATE of its cause. */
    public <E extends RowlockException> E cannot(Class<E> type, String why, SQLException cause) {
        return cannot(type, why, cause.getSQLState(), cause);
    }

    public <E extends RowlockException> E cannot(
            Class<E> type, String why, @Nullable String sqlState, @Nullable SQLException cause) {
        return Exceptions.of(type, "Cannot lock " + what + ": " + why, sqlState, cause);
    }
}
