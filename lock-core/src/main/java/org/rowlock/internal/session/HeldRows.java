package org.rowlock.internal.session;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Whether a transaction that has begun may wait in the JVM. */
public final class HeldRows {
    private static final String SAVEPOINT = "rowlock_queue";

    private static final String ASK = "savepoint " + SAVEPOINT
            + "; select pg_catalog.pg_current_xact_id_if_assigned() is null; release savepoint " + SAVEPOINT;

    private static final String UNDO = "rollback to savepoint " + SAVEPOINT + "; release savepoint " + SAVEPOINT;

    private HeldRows() {}

    /**
     * Asks the server whether the transaction holds no row, in one round trip. Every row lock implies a transaction id,
     * which reads do not need.
     *
     * @param boundMillis how long the answer may take; 0 for as long as it takes
     * @return false also where the role may not ask
     */
    public static boolean areNone(PgSession session, int boundMillis) throws SQLException {
        int before = boundMillis == 0 ? 0 : session.boundSocket(boundMillis);
        try {
            return areNone(session);
        } finally {
            if (boundMillis != 0) {
                session.restoreSocketBound(before);
            }
        }
    }

    private static boolean areNone(PgSession session) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            try {
                statement.execute(ASK);
                statement.getMoreResults();
                try (ResultSet row = statement.getResultSet()) {
                    return row.next() && row.getBoolean(1);
                }
            } catch (SQLException e) {
                if (!session.isAborted()) {
                    throw e;
                }
                statement.execute(UNDO);
                return false;
            }
        }
    }
}
