package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.text.FrontSql;

/**
 * Reads the shortest timeout that limits the waits of a session: lock_timeout, statement_timeout, transaction_timeout,
 * idle_in_transaction_session_timeout or idle_session_timeout.
 */
final class SessionTimeouts {
    private static final String SHOW = "show lock_timeout; show statement_timeout;"
            + " show idle_in_transaction_session_timeout; show idle_session_timeout";

    private static final Map<String, Long> MILLIS_OF_UNITS =
            Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private SessionTimeouts() {}

    /** Returns how long a statement may wait in the JVM, in nanoseconds. */
    static long longestWait(DropIn dropIn, DriverAccess access, Statement statement, boolean changedSettings)
            throws SQLException {
        int own = statement.getQueryTimeout();
        Long session = changedSettings ? null : dropIn.timeouts.get(access.driver());
        if (session == null) {
            try {
                session = access.query(SessionTimeouts::shortest);
            } catch (SQLException e) {
                // The statement goes to the server without a wait in the JVM.
                return 0;
            }
            dropIn.timeouts.put(access.driver(), session);
        }
        long shortest = Math.min(session, own == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(own));
        // The server's own timeout starts only when the statement arrives. The statement may therefore time out later
        // than without Rowlock.
        return shortest == Long.MAX_VALUE ? shortest : shortest / FrontSql.PART_OF_TIMEOUT;
    }

    /**
     * Returns the shortest timeout in nanoseconds; {@link Long#MAX_VALUE} if none is set. This method needs one round
     * trip, and the server takes no snapshot.
     */
    private static long shortest(Connection connection) throws SQLException {
        long shortest = Long.MAX_VALUE;
        // PostgreSQL 17 introduced transaction_timeout.
        boolean limitsTransactions = connection.getMetaData().getDatabaseMajorVersion() >= 17;
        try (Statement statement = connection.createStatement()) {
            boolean isRow = statement.execute(limitsTransactions ? SHOW + "; show transaction_timeout" : SHOW);
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

    /** Parses a timeout as SHOW prints it: a whole number and its unit, or 0 if the timeout is off. */
    private static long nanos(String setting) {
        String unit = setting.replaceAll("[0-9]", "");
        long number = Long.parseLong(setting.substring(0, setting.length() - unit.length()));
        long millis = number * MILLIS_OF_UNITS.getOrDefault(unit, 1L);
        return millis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
