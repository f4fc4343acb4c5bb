package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * One statement of a {@link LockScript}.
 *
 * @param sql its text, without a semicolon
 * @param binder sets its parameters
 * @param result what its result is
 */
public record ScriptStatement(String sql, Binder binder, Result result) {

    /** A statement without parameters whose result nobody needs. */
    static ScriptStatement control(String sql) {
        return new ScriptStatement(sql, (statement, at, values) -> at, Result.IGNORED);
    }

    /** Sets the parameters of one statement. Captures nothing of a call, since scripts are kept and used again. */
    @FunctionalInterface
    public interface Binder {
        /** Sets the parameters from index {@code at} on and gives the index behind the last one. */
        int bind(PreparedStatement statement, int at, ScriptValues values) throws SQLException;
    }

    /** What the result of a statement is. */
    public enum Result {
        /** Nothing that is read. */
        IGNORED,
        /** That of {@link WaitSql#watch}. */
        WATCH,
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
        /** The rows that keys without a row lock mean: their ordinal numbers in the request, and their ids. */
        MEANINGS,
        /** A row where there is one, locked or not. */
        LOOK,
        /** The rows of the caller's own query. */
        QUERY
    }
}
