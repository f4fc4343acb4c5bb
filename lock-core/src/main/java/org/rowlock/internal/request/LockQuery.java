package org.rowlock.internal.request;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockedQuery;

/** A caller's query that runs behind a lock, and its result once it has run. */
public record LockQuery<T>(LockedQuery<T> query, OpenRows open) implements Tail, AutoCloseable {
    public LockQuery(LockedQuery<T> query) {
        this(query, new OpenRows());
    }

    @Override
    public String sql() {
        return query.sql();
    }

    @Override
    public List<@Nullable Object> binds() {
        return query.binds();
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

    /** What it has returned, mapped. Behind all that Rowlock has to read: the mapper is the caller's. */
    public List<T> rows() throws SQLException {
        return open.map(query.mapper());
    }

    @Override
    public void close() {
        open.close();
    }
}
