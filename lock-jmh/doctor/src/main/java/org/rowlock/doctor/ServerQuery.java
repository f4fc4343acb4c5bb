package org.rowlock.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A query in a file of its own, which a person can read and run in psql as well: {@code waits.sql} beside this class. A
 * column whose name ends in query is a statement, and is read normalized.
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
        String file = name().toLowerCase(Locale.ROOT) + ".sql";
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
                    String column = columns.getColumnLabel(i);
                    Object value = result.getObject(i);
                    // Nothing behind this line has seen a value of the application.
                    values.put(
                            column,
                            column.endsWith("query") && value != null ? SqlText.normalize(value.toString()) : value);
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

        /** As a record, each component by the column of its name. */
        <T extends Record> T as(Class<T> type) {
            RecordComponent[] components = type.getRecordComponents();
            try {
                return type.getDeclaredConstructor(Arrays.stream(components)
                                .map(RecordComponent::getType)
                                .toArray(Class[]::new))
                        .newInstance(Arrays.stream(components).map(this::value).toArray());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("A " + type + " cannot be made of " + values.keySet(), e);
            }
        }

        private @Nullable Object value(RecordComponent component) {
            String column = component.getName().replaceAll("(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
            return switch (component.getType().getSimpleName()) {
                case "int" -> (int) count(column);
                case "long" -> count(column);
                case "double" -> number(column);
                case "Double" -> age(column);
                case "boolean" -> is(column);
                default -> text(column);
            };
        }
    }
}
