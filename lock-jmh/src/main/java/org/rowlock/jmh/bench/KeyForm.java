package org.rowlock.jmh.bench;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The forms of an id, each with a table whose primary key is of that form. */
public enum KeyForm {
    /** An int4. */
    INT("id int") {
        @Override
        Object id(int number) {
            return number;
        }
    },
    /** A bigint that is none of the values of an int4. */
    BIGINT("id bigint") {
        @Override
        Object id(int number) {
            return 5_000_000_000L + number;
        }
    },
    UUID("id uuid") {
        @Override
        Object id(int number) {
            return java.util.UUID.nameUUIDFromBytes(("row " + number).getBytes(StandardCharsets.UTF_8));
        }
    },
    TEXT("id text") {
        @Override
        Object id(int number) {
            return "order-2026-" + (1_000_000 + number);
        }
    },
    /** Of two columns. */
    COMPOSITE("tenant int, no bigint") {
        @Override
        Object id(int number) {
            return List.of(number % 10, (long) number);
        }
    };

    private final String columns;

    KeyForm(String columns) {
        this.columns = columns;
    }

    /** The id of a row's number. */
    abstract Object id(int number);

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
    void create(Connection connection, Object[] ids) throws SQLException {
        String names = String.join(", ", columns());
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table " + table() + " (" + columns + ", primary key (" + names + "))");
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into " + table() + " values (" + (columns().size() == 2 ? "?, ?" : "?") + ")")) {
            for (Object id : ids) {
                Locking.bind(insert, id);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("vacuum analyze " + table());
        }
    }
}
