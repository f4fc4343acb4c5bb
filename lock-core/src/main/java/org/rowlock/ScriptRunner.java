package org.rowlock;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a script in one round trip and reads its results in their order. */
final class ScriptRunner {
    private ScriptRunner() {}

    static <T> ScriptResult<T> run(
            PgSession session, LockScript script, LockRequest request, @Nullable LockQuery<T> query)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(script.sql())) {
            script.bind(statement, new ScriptValues(request, query));
            boolean isRows = statement.execute();
            Guard guard = null;
            List<List<Integer>> found = List.of();
            List<T> rows = List.of();
            for (ScriptStatement part : script.statements()) {
                switch (part.result()) {
                    case GUARD -> guard = readGuard(statement);
                    case ROWS -> {
                        found = found.isEmpty() ? new ArrayList<>(1) : found;
                        found.add(readFound(statement));
                    }
                    case QUERY -> rows = readQuery(statement, isRows, query);
                    case IGNORED -> {}
                }
                isRows = statement.getMoreResults();
            }
            if (isRows || statement.getUpdateCount() != -1) {
                throw new IllegalArgumentException("The SQL of the query has more than one statement. They have run:"
                        + " roll the transaction back, and give one statement that returns rows");
            }
            return new ScriptResult<>(guard, found, rows);
        }
    }

    private static @Nullable Guard readGuard(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            return row.next() ? Guard.read(row) : null;
        }
    }

    private static List<Integer> readFound(PreparedStatement statement) throws SQLException {
        List<Integer> found = new ArrayList<>(1);
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                found.add(row.getInt(1));
            }
        }
        return found;
    }

    private static <T> List<T> readQuery(PreparedStatement statement, boolean isRows, @Nullable LockQuery<T> query)
            throws SQLException {
        if (!isRows || query == null) {
            throw new IllegalArgumentException("The SQL of the query returned no rows to read but an update count of "
                    + statement.getUpdateCount() + ". It has run: roll the transaction back, and give a SELECT, or add"
                    + " RETURNING");
        }
        List<T> values = new ArrayList<>(1);
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                values.add(MappingException.map(query.mapper(), row));
            }
        }
        return values;
    }
}
