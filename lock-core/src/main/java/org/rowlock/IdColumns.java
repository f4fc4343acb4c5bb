package org.rowlock;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.RowTable.Column;

/** Reads ids from a result, as canonical text: the same that a program gives which names the row itself. */
final class IdColumns {
    private IdColumns() {}

    static List<String> read(ResultSet row, RowTable table) throws SQLException {
        List<String> parts = new ArrayList<>(table.columns().size());
        for (Column column : table.columns()) {
            parts.add(IdText.of(table.name(), value(row, column)));
        }
        return parts;
    }

    private static Object value(ResultSet row, Column column) throws SQLException {
        String name = column.name();
        return switch (column.type()) {
            case "date" -> row.getObject(name, LocalDate.class);
            case "time without time zone" -> row.getObject(name, LocalTime.class);
            case "timestamp without time zone" -> row.getObject(name, LocalDateTime.class);
            case "timestamp with time zone" -> row.getObject(name, OffsetDateTime.class);
            case "numeric" -> row.getObject(name, BigDecimal.class);
            // Padding does not count in comparisons of char(n), so it must not count in the key.
            case "bpchar" -> row.getString(name).stripTrailing();
            default -> row.getObject(name);
        };
    }
}
