package org.rowlock.internal.verify;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLockMode;
import org.rowlock.internal.acquire.LockCall;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.SocketBound;
import org.rowlock.internal.sql.OpenRows;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/** A connection of a verification. All its transactions are rolled back. */
final class Probe implements AutoCloseable {
    /**
     * A query for a value that identifies the transaction, and shows whether the transaction is {@link #isReadOnly
     * read-only}. A pooler that sends reads to another server also sends this query to that server.
     */
    static final String TRANSACTION = "select current_setting('transaction_read_only') || ' '"
            + " || cast(pg_catalog.pg_backend_pid() as text) || ' ' || cast(pg_catalog.now() as text)";

    /** The prefix in the name of a standby; see {@link #server}. */
    static final String STANDBY = "standby ";

    /** A query for a name of the server. The name has the start time, because servers may report equal addresses. */
    private static final String SERVER = "select case when pg_catalog.pg_is_in_recovery() then '" + STANDBY
            + "' else 'primary ' end || coalesce(host(inet_server_addr()), 'local') || ':' || current_setting('port')"
            + " || ' since ' || cast(pg_catalog.pg_postmaster_start_time() as text)";

    /** The timeout of a statement. A verification never waits for a lock, so a server that takes this long hangs. */
    private static final int MOST_MILLIS = 10_000;

    final Connection connection;
    final PgSession session;
    private final boolean autoCommit;
    private final SocketBound socketBound;
    private final int prepareThreshold;

    private Probe(Connection connection) throws SQLException {
        this.connection = connection;
        this.session = PgSession.of(connection);
        this.autoCommit = connection.getAutoCommit();
        this.socketBound = new SocketBound(session, MOST_MILLIS);
        this.prepareThreshold = session.prepareThreshold();
        if (prepareThreshold > 0) {
            // Every statement is prepared at once, so that the checks fail if a pooler mixes up prepared statements.
            session.setPrepareThreshold(1);
        }
        connection.setAutoCommit(false);
    }

    static Probe open(DataSource dataSource) throws SQLException {
        Connection connection = Arguments.connection(dataSource);
        try {
            return new Probe(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Runs a query in a separate transaction. */
    String askAlone(String sql, String... binds) throws SQLException {
        String value = session.ask(sql, binds);
        connection.rollback();
        return value;
    }

    /** Runs a query in a separate transaction; returns an empty text if the role lacks a privilege for the query. */
    String askIfPermitted(String sql, String... binds) throws SQLException {
        try {
            return askAlone(sql, binds);
        } catch (SQLException e) {
            if (!SqlState.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            return "";
        }
    }

    static boolean isReadOnly(String transaction) {
        return !transaction.startsWith("off ");
    }

    /**
     * Compares two results of {@link #TRANSACTION}, from two statements of one transaction.
     *
     * @throws MovedException if the statements ran in different transactions, without an error
     */
    static void requireSame(String transaction, String later) throws MovedException {
        if (!transaction.equals(later)) {
            throw new MovedException();
        }
    }

    /**
     * Reports that a later statement of a transaction ran in another session, and the driver did not notice. With a
     * pooler, a failover causes this exception once. A pooler that runs each statement in another session causes this
     * exception every time.
     */
    static final class MovedException extends SQLException {
        private static final long serialVersionUID = 1;

        MovedException() {
            super("The connection that held a lock now leads to another session", SqlState.CONNECTION_DOES_NOT_EXIST);
        }
    }

    /**
     * Locks, reads in the same round trip, and reads again in the next round trip. Checks that both reads run in the
     * same transaction, and that this transaction can write.
     *
     * @return the result of {@link #TRANSACTION}; null if another transaction holds the lock
     */
    @Nullable
    String lockAndRead(LockCalls calls, LockKey key, LockWait wait) throws SQLException {
        String together;
        try (OpenRows open = new OpenRows()) {
            BoundQuery<String> query = BoundQuery.of(TRANSACTION, row -> row.getString(1));
            if (!lock(calls, key, wait, Tail.ofQuery(query, open))) {
                return null;
            }
            together = open.map(query.mapper()).get(0);
        }
        String behind = session.ask(TRANSACTION);
        if (isReadOnly(together) || isReadOnly(behind)) {
            throw Verdicts.readElsewhere(key);
        }
        requireSame(together, behind);
        return together;
    }

    LockCall call(LockCalls calls, List<LockKey> keys, LockWait wait) throws SQLException {
        RequestParts request = RequestParts.of(RowLockMode.FOR_UPDATE, keys);
        return new LockCall(
                calls,
                PgSession.inTransaction(connection),
                request.allowAbsent().waiting(wait),
                null,
                true);
    }

    /** Returns false if another transaction holds the lock. */
    boolean lock(LockCalls calls, LockKey key, LockWait wait, @Nullable Tail query) throws SQLException {
        try {
            LockCall call = call(calls, List.of(key), wait);
            Outcome outcome = call.attempt(query);
            if (outcome instanceof Outcome.Refused refused && refused.isSnapshotStale()) {
                // The isolation level of the pool does not allow an advisory lock without a row lock, so the probe
                // begins again in READ COMMITTED.
                connection.rollback();
                session.execute("set transaction isolation level read committed");
                outcome = call.attempt(query);
            }
            if (outcome instanceof Outcome.NotAvailable) {
                return false;
            }
            call.held(outcome, null);
            return true;
        } catch (LockTransactionException | LockConnectionLostException e) {
            if (!e.sqlState().equals(Optional.of(SqlState.READ_ONLY_SQL_TRANSACTION))) {
                throw e;
            }
            if (!isSaidToWrite()) {
                throw new LockTransactionException(
                        String.valueOf(e.getMessage()), SqlState.READ_ONLY_SQL_TRANSACTION, e);
            }
            throw Verdicts.lockedElsewhere(key, e);
        }
    }

    /**
     * Returns a unique name of the server, which shows whether the server is a standby. If possible, the query runs in
     * the transaction that has acquired the lock, because the next transaction may run on another server. Ends the
     * transaction.
     */
    String server() throws SQLException {
        if (session.isAborted()) {
            connection.rollback();
        }
        try {
            return session.ask(SERVER);
        } catch (SQLException e) {
            if (!SqlState.UNDEFINED_FUNCTION.equals(e.getSQLState())) {
                throw e;
            }
            // A server that is not PostgreSQL may lack the functions of the query.
            return "unknown";
        } finally {
            connection.rollback();
        }
    }

    /** Whether the session can write, according to the settings that the server has reported. */
    private boolean isSaidToWrite() throws SQLException {
        return !connection.isReadOnly()
                && "off".equals(session.reported("default_transaction_read_only"))
                && "off".equals(session.reported("in_hot_standby"));
    }

    String product() throws SQLException {
        return session.ask("select version()");
    }

    /** Returns the connection to the pool, or ends the session if its settings cannot be restored. */
    @Override
    public void close() {
        try (connection) {
            try {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
                session.setPrepareThreshold(prepareThreshold);
                socketBound.close();
            } catch (SQLException e) {
                session.kill(e);
            }
        } catch (SQLException e) {
            Log.debug("A connection was lost while locks were verified", e);
        }
    }
}
