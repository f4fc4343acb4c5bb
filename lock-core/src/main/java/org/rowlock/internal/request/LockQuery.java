package org.rowlock.internal.request;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
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
 */
public record LockQuery<T>(String sql, RowMapper<T> mapper, List<@Nullable Object> binds, OpenRows open)
        implements Tail, AutoCloseable {

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
        return new LockQuery<>(sql, mapper, Arrays.asList(binds), new OpenRows());
    }

    @Override
    public int bind(PreparedStatement statement, int at) throws SQLException {
        return Tail.bind(statement, at, binds);
    }

    @Override
    public void read(PreparedStatement statement, boolean isRows) throws SQLException {
        if (!isRows) {
            throw new IllegalArgumentException("The SQL of the query returned no rows to read but an update count of "
                    + statement.getUpdateCount() + ". It has run: roll the transaction back, and give a SELECT, or add"
                    + " RETURNING");
        }
        open.add(statement.getResultSet());
    }

    @Override
    public @Nullable Watch watch() {
        return null;
    }

    @Override
    public boolean isOneShot() {
        return Tail.hasUntyped(binds);
    }

    /** What it has returned, mapped. Behind all that Rowlock has to read: the mapper is the caller's. */
    public List<T> rows() throws SQLException {
        return open.map(mapper);
    }

    @Override
    public void close() {
        open.close();
    }
}
