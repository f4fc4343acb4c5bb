package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Tail;

/**
 * One part of a {@link Flush}.
 *
 * @param sql its text, without a semicolon
 * @param binder sets its parameters
 * @param result what its result is
 */
public record Part(String sql, Binder binder, Result result) {

    /** A statement without parameters whose result nobody needs. */
    static Part control(String sql) {
        return withoutBinds(sql, Result.IGNORED);
    }

    static Part withoutBinds(String sql, Result result) {
        return new Part(sql, (statement, at, request) -> at, result);
    }

    /** Sets the parameters of one statement. Captures nothing of a call, since flushes are kept and used again. */
    @FunctionalInterface
    public interface Binder {
        /** Sets the parameters from index {@code at} on and gives the index behind the last one. */
        int bind(PreparedStatement statement, int at, ResolvedRequest request) throws SQLException;
    }

    /** What the result of a part is. */
    public enum Result {
        /** Nothing that is read. */
        IGNORED,
        /** Whether a commit waits for no standby. */
        WATCH,
        /** Whether the key in front was locked, and after how long. */
        FRONT,
        /** The guard row of the advisory lock: isolation, read-only, kind of table, lock. */
        GUARD,
        /** The row that a row lock found: its id. */
        ROW,
        /** The rows that a row lock found: their ordinal numbers in the request, and their ids. */
        ROWS,
        /** The same: how many, and their ids where some of those asked for are missing. */
        COUNTED_ROWS,
        /** The same, of the group that the statement in front is about. */
        MORE_ROWS,
        /** A row where there is one, locked or not. */
        LOOK,
        /** What the {@link Tail} reads: the rows of the caller's query, or what writes and the COMMIT return. */
        TAIL
    }
}
