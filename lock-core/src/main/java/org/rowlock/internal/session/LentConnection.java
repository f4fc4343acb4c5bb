package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockConnectionLostException;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.text.SqlState;

/** A borrowed connection, which is returned without an open transaction. */
public final class LentConnection implements AutoCloseable {
    private final Connection connection;

    private boolean autoCommit;
    private @Nullable PgSession session;

    /**
     * Whether the transaction has certainly committed or rolled back. A later failure must not hide this outcome
     * from the caller.
     */
    private boolean settled;

    public LentConnection(Connection connection) {
        this.connection = connection;
    }

    public Connection connection() {
        return connection;
    }

    public void settle() {
        settled = true;
    }

    /**
     * Returns the session that holds the locks; null if the connection is closed. Throws an exception if the driver
     * has replaced its connection during the work, as the AWS wrapper does after a failover. The new connection has
     * neither the locks nor the earlier changes of the work.
     */
    @Nullable
    public PgSession lockedSession() throws SQLException {
        if (connection.isClosed()) {
            return null;
        }
        PgSession now = PgSession.of(connection);
        if (!now.driver().equals(session().driver())) {
            throw new LockConnectionLostException(
                    "The work is not committed: the driver has replaced its connection during the work, for example"
                            + " after a failover, and the new connection does not hold the locks. Repeat the"
                            + " transaction.",
                    SqlState.CONNECTION_FAILURE,
                    null);
        }
        return now;
    }

    /**
     * Returns the session that the connection had at the first call of this method. The driver may have replaced
     * the session later.
     */
    private PgSession session() throws SQLException {
        PgSession made = session == null ? PgSession.of(connection) : session;
        session = made;
        return made;
    }

    /** Begins a transaction, and returns its session. Refuses a session that cannot acquire locks. */
    public PgSession begun() throws SQLException {
        autoCommit = connection.getAutoCommit();
        if (autoCommit) {
            connection.setAutoCommit(false);
        } else if (session().hasBegun()) {
            // The pool has already run a statement, such as HikariCP's connectionInitSql. A later rollback must not
            // undo the settings of that statement.
            connection.commit();
        }
        return session().usable();
    }

    /**
     * Rolls back after a failed group, and returns whether the connection is still open. Pools close a connection
     * after some errors.
     */
    public boolean isUsableAgain() {
        try {
            connection.rollback();
            return !connection.isClosed();
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (!connection.isClosed()) {
                // A listener may have begun a transaction after the commit. Switching autocommit on would commit
                // that transaction.
                if (settled ? session().hasBegun() : !connection.getAutoCommit()) {
                    connection.rollback();
                }
                if (connection.getAutoCommit() != autoCommit) {
                    connection.setAutoCommit(autoCommit);
                }
            }
        } catch (Throwable e) {
            if (!settled) {
                throw e;
            }
            Log.warn("A connection could not be returned after its transaction had ended", e);
        }
    }
}
