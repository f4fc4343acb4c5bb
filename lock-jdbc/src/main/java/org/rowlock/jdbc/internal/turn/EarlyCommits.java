package org.rowlock.jdbc.internal.turn;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLWarning;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.internal.commit.EarlyRelease;
import org.rowlock.internal.commit.UnconfirmedCommit;

/** Commits that let go of their row before they are durable. Thread-safe. */
final class EarlyCommits {
    /**
     * SQLSTATE transaction_resolution_unknown: of class 08, so that nobody takes it for rolled back or for an error that another
     * try mends.
     */
    private static final String NOT_CONFIRMED = "08007";

    private final EarlyRelease early = new EarlyRelease();

    /**
     * Commits the transaction of a connection.
     *
     * @param connection the driver's or the pool's
     * @param plan of the statement that had the turn
     * @throws SQLException as {@link Connection#commit()} throws it, or 08007 if it has committed and is not known to be durable
     */
    void commit(Connection connection, StatementPlan plan) throws SQLException {
        ReleasedEarlyEvent event = new ReleasedEarlyEvent();
        event.begin();
        try {
            // A row that was locked is written.
            if (early.commit(connection, true, true)) {
                plan.figures().releasedEarly();
                event.commit(plan);
            }
        } catch (UnconfirmedCommit e) {
            plan.figures().releasedEarly();
            event.commit(plan);
            if (!(e.getCause() instanceof SQLWarning warning)) {
                throw new SQLNonTransientConnectionException(e.getMessage(), NOT_CONFIRMED, e);
            }
            // The wait for a standby was cancelled. A plain commit has this warning and returns, too.
            connection.unwrap(PgConnection.class).addWarning(warning);
        }
    }
}
