package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;

/** The forms of an id. Each has a table whose primary key is of that form; each row has a number, which is 0. */
public enum KeyForm {
    INT("id int", "i"),
    /** A bigint that does not fit into an int4. */
    BIGINT("id bigint", "5000000000 + i"),
    UUID("id uuid", "md5('row ' || i)::uuid"),
    TEXT("id text", "'order-2026-' || 1000000 + i"),
    COMPOSITE("tenant int, no bigint", "i % 10, i");

    static final String NUMBER = "number";

    private final String columns;
    private final String values;

    KeyForm(String columns, String values) {
        this.columns = columns;
        this.values = values;
    }

    List<String> columns() {
        return Arrays.stream(columns.split(", ", -1))
                .map(column -> column.split(" ", 2)[0])
                .toList();
    }

    String table() {
        return "by_" + name().toLowerCase(Locale.ROOT);
    }

    /** Creates the table with this many rows, and returns their ids. */
    List<Object> create(BenchmarkServer server, int rows) throws SQLException {
        String names = String.join(", ", columns());
        server.execute(
                "create table " + table() + " (" + columns + ", " + NUMBER + " bigint not null default 0, primary key ("
                        + names + "))",
                "insert into " + table() + " select " + values + " from generate_series(1, " + rows + ") i",
                "vacuum analyze " + table());
        try (Connection connection = server.connect()) {
            return Jdbc.list(
                    connection,
                    "select " + names + " from " + table(),
                    row -> this == COMPOSITE ? List.of(row.getObject(1), row.getObject(2)) : row.getObject(1));
        }
    }
}
