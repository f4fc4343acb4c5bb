package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/**
 * The keys to lock, which the query of {@code --keys} has returned.
 *
 * @param rows the distinct keys as texts of the type {@link #TYPE}, the hottest first
 */
record OwnKeys(int columns, List<String> rows, String creation) {
    static final int MOST = 10_000;

    /** An empty table whose columns c1, c2 and so on have the types of the keys. */
    private static final String TYPE = "rowlock_bench_keys";

    /** The expression for the keys as a table, with an array of {@link #rows} as its parameter. */
    static final String TABLE = "(select (t::" + BenchmarkSchema.NAME + '.' + TYPE
            + ").*, place from unnest(?::text[]) with ordinality as keys (t, place)) as k";

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
            String from = "from (" + keys + "\n) as k ("
                    + IntStream.rangeClosed(1, columns).mapToObj(i -> "c" + i).collect(Collectors.joining(", ")) + ")";
            List<String> rows = Jdbc.list(
                    connection,
                    "select case when k is not null then k::text end " + from + " limit " + (MOST + 1),
                    row -> notNull(row.getString(1)));
            if (rows.isEmpty()) {
                throw new UserError("--keys returns no row, so there is nothing to lock. Give a query that returns"
                        + " keys. The query was: " + keys);
            }
            return new OwnKeys(
                    columns,
                    rows.stream().distinct().toList(),
                    "create table " + TYPE + " as select * " + from + " with no data");
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
