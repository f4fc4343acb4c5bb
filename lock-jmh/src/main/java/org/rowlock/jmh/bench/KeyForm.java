package org.rowlock.jmh.bench;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;

/** The forms of an id, each with a table whose primary key is of that form, and a number in each row: 0. */
public enum KeyForm {
    /** An int4. */
    INT("id int"),
    /** A bigint that is none of the values of an int4. */
    BIGINT("id bigint"),
    UUID("id uuid"),
    TEXT("id text"),
    /** Of two columns. */
    COMPOSITE("tenant int, no bigint");

    static final String NUMBER = "number";

    private final String columns;

    KeyForm(String columns) {
        this.columns = columns;
    }

    /** The id of a row's number. */
    Object id(int number) {
        return switch (this) {
            case INT -> number;
            case BIGINT -> 5_000_000_000L + number;
            case UUID -> java.util.UUID.nameUUIDFromBytes(("row " + number).getBytes(StandardCharsets.UTF_8));
            case TEXT -> "order-2026-" + (1_000_000 + number);
            case COMPOSITE -> List.of(number % 10, (long) number);
        };
    }

    /** The columns of the primary key. */
    List<String> columns() {
        return Arrays.stream(columns.split(", ", -1))
                .map(column -> column.split(" ", 2)[0])
                .toList();
    }

    String table() {
        return "by_" + name().toLowerCase(Locale.ROOT);
    }

    /** Makes the table, and in it the rows of the ids. */
    void create(BenchmarkServer server, Object[] ids) throws SQLException {
        String names = String.join(", ", columns());
        server.execute("create table " + table() + " (" + columns + ", " + NUMBER
                + " bigint not null default 0, primary key (" + names + "))");
        try (Connection connection = server.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "insert into " + table() + " values (" + (columns().size() == 2 ? "?, ?" : "?") + ")")) {
            for (Object id : ids) {
                Sql.bind(insert, Locking.parts(id));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        server.execute("vacuum analyze " + table());
    }
}
