package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/**
 * The keys to lock, which the query of {@code --keys} has returned.
 *
 * @param rows the distinct keys as texts, the hottest first
 */
record OwnKeys(List<String> types, Set<List<String>> rows) {
    static final int MOST = 10_000;

    /** Returns the keys by column instead of by row. */
    List<List<String>> columns() {
        return IntStream.range(0, types.size())
                .mapToObj(i -> rows.stream().limit(MOST).map(row -> row.get(i)).toList())
                .toList();
    }

    static OwnKeys read(Connection connection, String query) {
        List<OwnSql> statements = OwnSql.of(query, "--keys");
        if (statements.size() != 1 || !statements.get(0).columns().isEmpty()) {
            throw new UserError(
                    "--keys has to be one query without parameters. Give one such as: select id from" + " orders");
        }
        String keys = statements.get(0).sql();
        try {
            int columns;
            try (PreparedStatement statement = connection.prepareStatement(keys)) {
                ResultSetMetaData described = statement.getMetaData();
                columns = described == null ? 0 : described.getColumnCount();
            }
            if (columns == 0) {
                throw new UserError("--keys returns no columns. Give a query such as: select id from orders");
            }
            String named =
                    IntStream.rangeClosed(1, columns).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
            String texts = IntStream.rangeClosed(1, columns)
                    .mapToObj(i -> "k.c" + i + "::text, format_type(pg_typeof(k.c" + i + ")::oid, -1)")
                    .collect(Collectors.joining(", "));
            List<String> types = new ArrayList<>();
            Set<List<String>> rows = new LinkedHashSet<>(Jdbc.list(
                    connection,
                    "select " + texts + " from (" + keys + "\n) as k (" + named + ") limit " + (MOST + 1),
                    row -> {
                        List<String> values = new ArrayList<>();
                        for (int i = 1; i <= columns; i++) {
                            values.add(notNull(row.getString(2 * i - 1)));
                            if (types.size() < i) {
                                types.add(row.getString(2 * i));
                            }
                        }
                        return values;
                    }));
            if (rows.isEmpty()) {
                throw new UserError("--keys returns no row, so there is nothing to lock. Give a query that returns"
                        + " keys. The query was: " + keys);
            }
            return new OwnKeys(types, rows);
        } catch (SQLException e) {
            throw new UserError(
                    "--keys failed: " + ServerFailures.describe(e)
                            + " Give a query that only reads, such as: select id from orders",
                    e);
        }
    }

    private static String notNull(@Nullable String value) {
        if (value == null) {
            throw new UserError(
                    "--keys returns a null, and no row has a null as its key. Leave it out with: where .. is"
                            + " not null");
        }
        return value;
    }
}
