package org.rowlock.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A query in a file of its own, which a person can read and run in psql as well: {@code waits.sql} beside this class.
 */
enum ServerQuery {
    SERVER,
    COUNTERS,
    FAST_PATH,
    ACTIVITY,
    WAITS,
    BLOCKERS,
    LOCK_TABLE,
    TABLES,
    STATEMENTS,
    HORIZON,
    KEY;

    private final String sql = load();

    private String load() {
        String file = name().toLowerCase(java.util.Locale.ROOT) + ".sql";
        try (InputStream in = ServerQuery.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The doctor's jar lacks " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Row> read(Connection connection) throws SQLException {
        return query(connection, sql);
    }

    /** With a psql variable, which is a number. */
    List<Row> read(Connection connection, String variable, long value) throws SQLException {
        return query(connection, sql.replace(':' + variable, Long.toString(value)));
    }

    static List<Row> query(Connection connection, String sql) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            ResultSetMetaData columns = result.getMetaData();
            while (result.next()) {
                Map<String, @Nullable Object> values = new LinkedHashMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    values.put(columns.getColumnLabel(i), result.getObject(i));
                }
                rows.add(new Row(values));
            }
        }
        return rows;
    }

    /**
     * A row of the result.
     *
     * @param values by column
     */
    record Row(Map<String, @Nullable Object> values) {
        boolean has(String column) {
            return values.get(column) != null;
        }

        @Nullable
        String text(String column) {
            Object value = values.get(column);
            return value == null ? null : value.toString();
        }

        /** A statement, normalized; null where there is none to see. */
        @Nullable
        String statement(String column) {
            String sql = text(column);
            return sql == null ? null : SqlText.normalize(sql);
        }

        /** The text, or an empty one for null. */
        String string(String column) {
            String text = text(column);
            return text == null ? "" : text;
        }

        /** 0 for null. */
        double number(String column) {
            return values.get(column) instanceof Number number ? number.doubleValue() : 0;
        }

        /** 0 for null. */
        long count(String column) {
            return values.get(column) instanceof Number number ? number.longValue() : 0;
        }

        /** How long ago; null for null. */
        @Nullable
        Double age(String column) {
            return has(column) ? Math.max(0, number(column)) : null;
        }

        /** What a counter has gained. */
        long grown(String column, Row since) {
            return count(column) - since.count(column);
        }

        boolean is(String column) {
            return Boolean.TRUE.equals(values.get(column));
        }
    }
}
