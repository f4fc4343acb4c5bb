package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;

/**
 * The open result of a query whose row mapper has not run yet. A mapper is code of the caller, and may throw any
 * exception or use the connection. Therefore the mapper runs only after Rowlock has read the results of its own
 * statements.
 */
public final class OpenRows implements AutoCloseable {
    private @Nullable PreparedStatement statement;
    private @Nullable ResultSet rows;

    /** Stores an open statement, and closes the statement of an earlier attempt. */
    public PreparedStatement keep(PreparedStatement opened) {
        close();
        statement = opened;
        return opened;
    }

    public void keep(ResultSet returned) {
        rows = returned;
    }

    public <T> List<T> map(RowMapper<T> mapper) throws SQLException {
        List<T> values = new ArrayList<>(1);
        while (rows != null && rows.next()) {
            values.add(mapper.map(rows));
        }
        return values;
    }

    @Override
    public void close() {
        if (statement != null) {
            Part.close(statement);
            statement = null;
            rows = null;
        }
    }
}
