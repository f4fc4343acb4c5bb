package org.rowlock.jdbc.corpus;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Asks the server which rows of a table another session has locked, and how: by trying to lock them too. */
final class LockedRows {
    /** The modes, the weakest first: a mode held lets these many of them in. */
    private static final List<String> MODES = List.of("FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE");

    private LockedRows() {}

    /** The locked rows by the text of these columns, each with its mode as in {@code RowLockMode}. */
    static Map<List<String>, String> of(Connection other, String table, Collection<String> columns)
            throws SQLException {
        Map<List<String>, String> locked = new LinkedHashMap<>();
        for (List<String> row : read(other, table, columns, "")) {
            locked.put(row, "");
        }
        for (String mode : MODES) {
            List<List<String>> free = read(other, table, columns, " " + mode + " skip locked");
            for (Map.Entry<List<String>, String> row : locked.entrySet()) {
                if (free.contains(row.getKey())) {
                    row.setValue(row.getValue() + mode + ", ");
                }
            }
        }
        locked.values().removeIf(free -> free.endsWith("FOR UPDATE, ") && free.contains("NO KEY UPDATE"));
        locked.replaceAll(
                (row, free) -> MODES.get(MODES.size() - 1 - count(free)).replace(' ', '_'));
        return locked;
    }

    private static int count(String free) {
        return free.isEmpty() ? 0 : free.split(", ").length;
    }

    private static List<List<String>> read(Connection other, String table, Collection<String> columns, String lock)
            throws SQLException {
        String list = columns.stream().map(column -> '"' + column + "\"::text").collect(Collectors.joining(", "));
        List<List<String>> rows = new ArrayList<>();
        try (Statement statement = other.createStatement();
                ResultSet row = statement.executeQuery("select " + list + " from " + table + lock)) {
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= columns.size(); i++) {
                    // The server pads char(n).
                    values.add(row.getString(i).stripTrailing());
                }
                rows.add(values);
            }
        }
        other.rollback();
        return rows;
    }
}
