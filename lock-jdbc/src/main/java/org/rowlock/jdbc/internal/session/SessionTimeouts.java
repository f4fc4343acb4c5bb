package org.rowlock.jdbc.internal.session;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * How long a session lets a statement wait, and is let wait for one: the shortest of its lock_timeout,
 * statement_timeout, idle_in_transaction_session_timeout and idle_session_timeout.
 *
 * @param nanos {@link Long#MAX_VALUE} where none is set
 */
public record SessionTimeouts(long nanos) {
    private static final String SHOW =
            "show lock_timeout; show statement_timeout; show idle_in_transaction_session_timeout";

    private static final int WITH_IDLE_SESSION_TIMEOUT = 14;

    /** Asks the server, in one round trip and without a snapshot. */
    public static SessionTimeouts of(Connection connection) throws SQLException {
        long shortest = Long.MAX_VALUE;
        try (Statement statement = connection.createStatement()) {
            boolean hasIdle = connection.getMetaData().getDatabaseMajorVersion() >= WITH_IDLE_SESSION_TIMEOUT;
            boolean isRow = statement.execute(SHOW + (hasIdle ? "; show idle_session_timeout" : ""));
            while (isRow) {
                try (ResultSet row = statement.getResultSet()) {
                    row.next();
                    shortest = Math.min(shortest, nanos(row.getString(1)));
                }
                isRow = statement.getMoreResults();
            }
        }
        return new SessionTimeouts(shortest);
    }

    /** Of a setting as SHOW has it: a whole number and its unit, 0 for none. */
    static long nanos(String setting) {
        int digits = 0;
        while (digits < setting.length() && Character.isDigit(setting.charAt(digits))) {
            digits++;
        }
        long number = Long.parseLong(setting.substring(0, digits));
        if (number == 0) {
            return Long.MAX_VALUE;
        }
        TimeUnit unit = switch (setting.substring(digits).trim()) {
            case "us" -> TimeUnit.MICROSECONDS;
            case "s" -> TimeUnit.SECONDS;
            case "min" -> TimeUnit.MINUTES;
            case "h" -> TimeUnit.HOURS;
            case "d" -> TimeUnit.DAYS;
            default -> TimeUnit.MILLISECONDS;
        };
        return unit.toNanos(number);
    }
}
