package org.rowlock.doctor;

import static java.util.stream.Collectors.toMap;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.Texts;

/**
 * A query in a file of its own, such as {@code waits.sql} beside this class. The files also run in psql. A column whose
 * name ends in {@code query} has statements, which are normalized when they are read.
 */
enum ServerQuery {
    SERVER,
    COUNTERS("", "micros transactions wal_bytes xids multixacts rollbacks deadlocks"),
    ACTIVITY,
    WAITS,
    BLOCKERS,
    LOCK_TABLE,
    TREE,
    TABLES("table", "updates scans scanned"),
    STATEMENTS("queryid", "calls millis rows wal_bytes blocks"),
    HORIZON;

    private static final Gson RECORDS = new GsonBuilder()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .create();

    private final String sql = Texts.resource(ServerQuery.class, name().toLowerCase(Locale.ROOT) + ".sql");
    private final String key;
    private final String counters;

    ServerQuery() {
        this("", "");
    }

    ServerQuery(String key, String counters) {
        this.key = key;
        this.counters = counters;
    }

    List<Row> read(Connection connection) throws SQLException {
        return query(connection, sql);
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
                    values.put(column, value instanceof String text ? shown(column, text) : value);
                }
                rows.add(new Row(values));
            }
        }
        return rows;
    }

    /** Removes the application's values from a statement, and terminal control characters from any text. */
    private static String shown(String column, String text) {
        return Texts.printable(column.endsWith("query") ? SqlText.normalize(text) : text);
    }

    /**
     * Returns the later rows, with each counter replaced by its increase. A counter that fell has been reset, so its
     * whole value is the increase.
     */
    List<Row> grown(List<Row> before, List<Row> after) {
        Map<String, Row> first =
                before.stream().collect(toMap(row -> row.string(key), row -> row, (one, other) -> one));
        return after.stream()
                .map(row -> {
                    Row then = first.getOrDefault(row.string(key), new Row(Map.of()));
                    Row grown = new Row(new LinkedHashMap<>(row.values()));
                    for (String counter : counters.split(" ", -1)) {
                        double since = row.number(counter) - then.number(counter);
                        grown.values().put(counter, since < 0 ? row.number(counter) : since);
                    }
                    return grown;
                })
                .toList();
    }

    record Row(Map<String, @Nullable Object> values) {
        boolean has(String column) {
            return values.get(column) != null;
        }

        @Nullable
        String text(String column) {
            Object value = values.get(column);
            return value == null ? null : value.toString();
        }

        /** Returns the text; empty for null. */
        String string(String column) {
            String text = text(column);
            return text == null ? "" : text;
        }

        /** Returns the number; 0 for null. */
        double number(String column) {
            return values.get(column) instanceof Number number ? number.doubleValue() : 0;
        }

        /** Returns the number; 0 for null. */
        long count(String column) {
            return values.get(column) instanceof Number number ? number.longValue() : 0;
        }

        boolean is(String column) {
            return Boolean.TRUE.equals(values.get(column));
        }

        /** Converts the row into a record, whose components have the names of the columns in camel case. */
        <T extends Record> T as(Class<T> type) {
            return RECORDS.fromJson(RECORDS.toJsonTree(values), type);
        }
    }
}
