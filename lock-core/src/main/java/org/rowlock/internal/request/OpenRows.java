package org.rowlock.internal.request;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.RowMapper;

/**
 * Results whose mapper has not run yet. A mapper is the caller's code: it may throw anything and use the connection for
 * anything, so it runs when Rowlock has read all that it needs to know.
 */
public final class OpenRows implements AutoCloseable {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final List<PreparedStatement> statements = new ArrayList<>(1);
    private final List<ResultSet> results = new ArrayList<>(1);

    public PreparedStatement keep(PreparedStatement statement) {
        statements.add(statement);
        return statement;
    }

    public void add(ResultSet rows) {
        results.add(rows);
    }

    /** The rows of all results, in their order. */
    public <T> List<T> map(RowMapper<T> mapper) throws SQLException {
        List<T> values = new ArrayList<>(1);
        for (ResultSet row : results) {
            while (row.next()) {
                values.add(mapper.map(row));
            }
        }
        return values;
    }

    @Override
    public void close() {
        statements.forEach(OpenRows::close);
        statements.clear();
        results.clear();
    }

    /** A statement that cannot be closed changes nothing of what was done. */
    public static void close(PreparedStatement statement) {
        try {
            statement.close();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "A statement could not be closed; its connection closes it", e);
        }
    }
}
