package org.rowlock.internal.request;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;

/**
 * A caller's query that runs behind a lock.
 *
 * @param sql one statement that returns rows
 * @param mapper makes a value of each row
 * @param binds the values of its parameters
 * @param open its result, once it has run
 * @param committing where it is no query, but writes and a COMMIT: reads what they return
 */
public record LockQuery<T>(
        String sql,
        RowMapper<T> mapper,
        List<@Nullable Object> binds,
        OpenRows open,
        @Nullable Committing committing) implements AutoCloseable {

    /** Writes and the COMMIT behind them, as the last statements of a script. */
    public interface Committing {
        /** Is told that they are about to be sent, or that the server has run none of what was sent. */
        void sent(boolean mayHaveLeft);

        /** How the server is to look after its client meanwhile. */
        Watch watch();

        /** Whether the server is not to keep what it prepares for them. */
        boolean isOneShot();

        /** Whether rows are counted before they are mapped. */
        boolean isReadTwice();

        /**
         * Reads what each statement returned, up to that of the COMMIT.
         *
         * @param isRows whether the first result is rows
         */
        void read(PreparedStatement statement, boolean isRows) throws SQLException;
    }

    public LockQuery {
        if (sql == null || sql.isBlank()) {
            throw new IllegalArgumentException("The SQL of the query is " + (sql == null ? "null" : "blank")
                    + "; give one statement that returns rows");
        }
        if (mapper == null) {
            throw new IllegalArgumentException("The row mapper is null; give a function from a result row to a value");
        }
    }

    public static <T> LockQuery<T> of(String sql, RowMapper<T> mapper, @Nullable Object... binds) {
        if (binds == null) {
            throw new IllegalArgumentException("The binds are null; give a value per parameter, or none");
        }
        // Not List.of(), as a bind may be null.
        return new LockQuery<>(sql, mapper, Arrays.asList(binds), new OpenRows(), null);
    }

    /** Whether the transaction is over when its results are read. */
    public boolean isCommitting() {
        return committing != null;
    }

    /** Whether the server is not to keep what it prepares: where the driver binds a value without a type, for it to find. */
    public boolean isOneShot() {
        return committing == null ? hasUntyped(binds) : committing.isOneShot();
    }

    public boolean isReadTwice() {
        return committing != null && committing.isReadTwice();
    }

    /** What it has returned, mapped. Behind all that Rowlock has to read: the mapper is the caller's. */
    public List<T> rows() throws SQLException {
        return open.map(mapper);
    }

    @Override
    public void close() {
        open.close();
    }

    public static boolean hasUntyped(List<@Nullable Object> binds) {
        for (@Nullable Object bind : binds) {
            if (bind == null || bind instanceof Date) {
                return true;
            }
        }
        return false;
    }

    public int bind(PreparedStatement statement, int at) throws SQLException {
        int next = bind(statement, at, binds);
        if (committing != null) {
            committing.sent(true);
        }
        return next;
    }

    /** Sets values of parameters from index {@code at} on and gives the index behind the last one. */
    public static int bind(PreparedStatement statement, int at, List<@Nullable Object> binds) throws SQLException {
        int index = at;
        for (@Nullable Object bind : binds) {
            statement.setObject(index++, bind);
        }
        return index;
    }
}
