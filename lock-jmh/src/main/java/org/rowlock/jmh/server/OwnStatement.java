package org.rowlock.jmh.server;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGobject;
import org.rowlock.internal.text.TableName;

/**
 * The user's locking statement, prepared to run in a copy of its table.
 *
 * @param table the user's table, quoted and with its schema
 * @param copy the copy of the table in the benchmark schema, quoted
 * @param mode the lock mode of the statement, as the name of a RowLockMode
 * @param read the locking statement without its locking clause
 * @param holdMillis how long the lock is held after the work
 * @param path the schemas of the user's search_path, quoted
 * @param place for each column of the primary key, its index in {@code keys}, counted from 1
 * @param keys the keys as in {@link OwnKeys}
 * @param insertion the statement that copies the rows of the keys
 */
public record OwnStatement(
        String table,
        String copy,
        String mode,
        OwnSql lock,
        OwnSql read,
        List<OwnSql> work,
        double holdMillis,
        String path,
        List<String> creation,
        List<String> copies,
        List<String> primaryKey,
        List<Integer> place,
        List<String> keys,
        String insertion) {
    private static final Set<String> TEXTS = Set.of("text", "varchar", "bpchar", "name");

    public static @Nullable OwnStatement ofThisJvm() {
        RunFile file = RunFile.ofThisJvm();
        return file == null ? null : file.own();
    }

    /** Returns a search_path with the copies first, followed by the user's schemas. */
    public String searchPath() {
        return BenchmarkSchema.NAME + (path.isEmpty() ? "" : ',' + path);
    }

    public void create(Connection connection) throws SQLException {
        Jdbc.execute(connection, creation.toArray(String[]::new));
        Jdbc.run(connection, insertion, (Object) array());
        for (String each : copies) {
            Jdbc.execute(connection, "analyze " + each);
        }
    }

    /** Returns the keys that have a row in the copy, the hottest first. */
    public List<List<Object>> keys(Connection connection) throws SQLException {
        String same = IntStream.range(0, primaryKey.size())
                .mapToObj(i -> "t." + TableName.quoteIdentifier(primaryKey.get(i)) + " = k.c" + place.get(i))
                .collect(Collectors.joining(" and "));
        return Jdbc.list(
                connection,
                "select k.* from " + OwnKeys.TABLE + " where exists (select from " + copy + " as t where " + same
                        + ") order by k.place",
                row -> {
                    List<Object> key = new ArrayList<>();
                    for (int i = 1; i < row.getMetaData().getColumnCount(); i++) {
                        key.add(value(row, i));
                    }
                    return key;
                },
                (Object) array());
    }

    private String[] array() {
        return keys.toArray(String[]::new);
    }

    /** Returns the primary key of the row that a key names: one value, or a list. */
    public Object id(List<Object> key) {
        List<Object> id = place.stream()
                .map(column -> key.get(column - 1))
                .map(OwnStatement::part)
                .toList();
        return id.size() == 1 ? id.get(0) : id;
    }

    /** Converts a value into a type that a lock accepts. A type that cannot be an id becomes text. */
    private static Object part(Object value) {
        if (value instanceof PGobject other) {
            return String.valueOf(other.getValue());
        }
        if (value instanceof byte[] bytes) {
            return "\\x" + HexFormat.of().formatHex(bytes);
        }
        if (value instanceof BigDecimal number && number.stripTrailingZeros().scale() > 0) {
            return number.stripTrailingZeros().toPlainString();
        }
        boolean isText = value instanceof Double || value instanceof Float || value instanceof Boolean;
        return isText ? value.toString() : value;
    }

    /** Returns a value as an application would bind it. */
    private static Object value(ResultSet row, int column) throws SQLException {
        Object value = row.getObject(column);
        String type = row.getMetaData().getColumnTypeName(column);
        if (value instanceof Date) {
            return row.getObject(column, LocalDate.class);
        }
        if (value instanceof Time) {
            return row.getObject(column, LocalTime.class);
        }
        if (value instanceof Timestamp) {
            boolean hasZone = type.equals("timestamptz");
            return hasZone ? row.getObject(column, OffsetDateTime.class) : row.getObject(column, LocalDateTime.class);
        }
        if (value instanceof String text && type.equals("bpchar")) {
            return text.stripTrailing();
        }
        if ((value instanceof String || value instanceof PGobject) && !TEXTS.contains(type)) {
            PGobject other = new PGobject();
            other.setType(type);
            other.setValue(row.getString(column));
            return other;
        }
        return value;
    }
}
