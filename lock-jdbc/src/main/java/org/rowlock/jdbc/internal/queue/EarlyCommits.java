package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLWarning;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.internal.commit.EarlyRelease;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.text.SqlState;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.observe.ReleasedEarlyEvent;
import org.rowlock.jdbc.internal.row.StatementPlan;

/**
 * Commits that let go of their row before they are durable; and all commits beside them, which wait until what they may
 * have read is durable. Thread-safe.
 */
final class EarlyCommits {
    private final EarlyRelease early = new EarlyRelease();

    /**
     * Commits the transaction of a connection.
     *
     * @param connection the driver's or the pool's
     * @param plan of the statement that had the turn of a row that others want; null for none, to let go of nothing
     *     early
     * @throws SQLException as {@link Connection#commit()} throws it, or RL001 if it has committed and is not known to
     *     be durable
     */
    void commit(Connection connection, @Nullable StatementPlan plan) throws SQLException {
        @Nullable ReleasedEarlyEvent event = ReleasedEarlyEvent.begun();
        @Nullable CommitNotConfirmedException unconfirmed = null;
        boolean released = true;
        try {
            released = early.commit(connection, plan != null);
        } catch (CommitNotConfirmedException e) {
            unconfirmed = e;
        }
        if (released && plan != null) {
            plan.figures().count(Figure.RELEASED_EARLY);
            if (event != null) {
                event.commit(plan.table());
            }
        }
        if (unconfirmed != null) {
            warn(connection, unconfirmed);
        }
    }

    /** What goes around a COMMIT that lets go of nothing early, and waits for what its transaction may have read. */
    Ending.Choice ending() {
        return session -> early.ending(session, false);
    }

    /** The same, behind a statement that has committed by itself. */
    void awaitDurable(Connection connection) throws SQLException {
        try {
            early.awaitDurable(connection);
        } catch (CommitNotConfirmedException e) {
            warn(connection, e);
        }
    }

    /** Where the wait for a standby was cancelled, a plain commit has this warning and returns, too. */
    private static void warn(Connection connection, CommitNotConfirmedException e) throws SQLException {
        if (!(e.getCause() instanceof SQLWarning warning) || connection.isClosed()) {
            throw new SQLNonTransientException(e.getMessage(), SqlState.COMMIT_NOT_CONFIRMED, e);
        }
        connection.unwrap(PgConnection.class).addWarning(warning);
    }
}
