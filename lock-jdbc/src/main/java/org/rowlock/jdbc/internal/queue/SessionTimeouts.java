package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * How long a session lets a statement wait, and is let wait for one: the shortest of its lock_timeout,
 * statement_timeout, idle_in_transaction_session_timeout and idle_session_timeout.
 */
final class SessionTimeouts {
    private static final String SHOW = "show lock_timeout; show statement_timeout;"
            + " show idle_in_transaction_session_timeout; show idle_session_timeout";

    private SessionTimeouts() {}

    /** In nanoseconds, {@link Long#MAX_VALUE} where none is set. Asked in one round trip and without a snapshot. */
    static long shortest(Connection connection) throws SQLException {
        long shortest = Long.MAX_VALUE;
        try (Statement statement = connection.createStatement()) {
            boolean isRow = statement.execute(SHOW);
            while (isRow) {
                try (ResultSet row = statement.getResultSet()) {
                    row.next();
                    shortest = Math.min(shortest, nanos(row.getString(1)));
                }
                isRow = statement.getMoreResults();
            }
        }
        return shortest;
    }

    /** Of a setting as SHOW has it: a whole number and its unit, 0 for none. */
    static long nanos(String setting) {
        String unit = setting.replaceAll("[0-9]", "");
        long number = Long.parseLong(setting.substring(0, setting.length() - unit.length()));
        if (number == 0) {
            return Long.MAX_VALUE;
        }
        return switch (unit.trim()) {
            case "us" -> TimeUnit.MICROSECONDS.toNanos(number);
            case "s" -> TimeUnit.SECONDS.toNanos(number);
            case "min" -> TimeUnit.MINUTES.toNanos(number);
            case "h" -> TimeUnit.HOURS.toNanos(number);
            case "d" -> TimeUnit.DAYS.toNanos(number);
            default -> TimeUnit.MILLISECONDS.toNanos(number);
        };
    }
}
