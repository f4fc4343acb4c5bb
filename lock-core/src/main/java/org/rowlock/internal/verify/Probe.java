package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.SqlState;

/** One connection of a verification, in transactions that are rolled back. */
final class Probe implements AutoCloseable {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /**
     * Distinguishes a transaction from any other, of this server or another, and says whether it {@link #isReadOnly
     * cannot write}: one row and column. By a splitter's rules a read like any other, which may be sent to where the
     * lock is not.
     */
    static final String TRANSACTION = "select current_setting('transaction_read_only') || ' '"
            + " || cast(pg_catalog.pg_backend_pid() as text) || ' ' || cast(pg_catalog.now() as text)";

    /** How the name of a {@link #server} begins that only repeats what a primary does. */
    static final String STANDBY = "standby ";

    /** Started at another time, it is another server, whatever its address looks like from inside. */
    private static final String SERVER = "select case when pg_catalog.pg_is_in_recovery() then '" + STANDBY
            + "' else 'primary ' end || coalesce(host(inet_server_addr()), 'local') || ':' || current_setting('port')"
            + " || ' since ' || cast(pg_catalog.pg_postmaster_start_time() as text)";

    /** Nothing of a verification waits, so what takes so long is a server that hangs. */
    private static final int MOST_MILLIS = 10_000;

    final Connection connection;
    final PgSession session;
    private final boolean autoCommit;
    private final int socketBound;

    private Probe(Connection connection) throws SQLException {
        this.connection = connection;
        this.session = PgSession.of(connection);
        this.autoCommit = connection.getAutoCommit();
        this.socketBound = session.boundSocket(MOST_MILLIS);
        connection.setAutoCommit(false);
    }

    static Probe open(DataSource dataSource) throws SQLException {
        Connection connection = Given.connection(dataSource);
        try {
            return new Probe(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** The first column of the first row, by a statement of its own, or null if there is no row. */
    @Nullable
    String read(String sql, String... binds) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql)) {
            for (int i = 0; i < binds.length; i++) {
                statement.setString(i + 1, binds[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** The same in a transaction of its own. */
    @Nullable
    String readAlone(String sql, String... binds) throws SQLException {
        String value = read(sql, binds);
        connection.rollback();
        return value;
    }

    /**
     * The same as a statement that the driver has prepared on the server, as it does with statements that are run
     * often.
     */
    private @Nullable String readPrepared(String sql, String... binds) throws SQLException {
        int threshold = session.prepareThreshold();
        session.setPrepareThreshold(1);
        try {
            return read(sql, binds);
        } finally {
            session.setPrepareThreshold(threshold);
        }
    }

    /**
     * A pooler that gives out server connections by transaction: what the first prepares stays with the server
     * connection that the second gets next, and the first goes on with another.
     */
    void verifyPreparedStatements(Probe second) throws SQLException {
        if (session.prepareThreshold() <= 0 || second.session.prepareThreshold() <= 0) {
            return;
        }
        String and = " || cast(? as text)";
        for (int i = 0; i < 2; i++) {
            List<@Nullable String> answers = new ArrayList<>();
            answers.add(readPrepared("select 'first '" + and, "one"));
            connection.rollback();
            answers.add(second.readPrepared("select 'second '" + and, "two"));
            answers.add(readPrepared("select 'first '" + and, "three"));
            connection.rollback();
            second.connection.rollback();
            if (!answers.equals(List.of("first one", "second two", "first three"))) {
                throw Verdicts.wrong(
                        "Prepared statements of two clients are mixed up: one got the answer of another. A pooler"
                                + " between them and the server keeps no account of them: " + LockErrors.POOLER_ADVICE);
            }
        }
    }

    static boolean isReadOnly(@Nullable String transaction) {
        return transaction == null || !transaction.startsWith("off ");
    }

    /**
     * Asks whether a transaction has lasted until now, and with it its locks.
     *
     * @param transaction what {@link #TRANSACTION} gave
     * @throws SQLException if not: the session was lost, be it behind the back of the driver
     */
    void requireStillIn(String transaction) throws SQLException {
        requireSame(transaction, read(TRANSACTION));
    }

    /**
     * Compares what two statements of one transaction have read by {@link #TRANSACTION}.
     *
     * @throws MovedException if they ran in two transactions, without an error
     */
    static void requireSame(String transaction, @Nullable String later) throws MovedException {
        if (!transaction.equals(later)) {
            throw new MovedException();
        }
    }

    /**
     * The transaction went on in another session, and the driver did not notice. A server that fails over behind a
     * pooler does so once, a pooler that gives each statement a session of its own does so each time.
     */
    static final class MovedException extends SQLException {
        private static final long serialVersionUID = 1;

        MovedException() {
            super("The session that held a lock is another one now", SqlState.CONNECTION_DOES_NOT_EXIST);
        }
    }

    /**
     * A pool or a pooler may hand out what it cannot serve, such as a client's connection without one to the server.
     *
     * @throws SQLException if no answer comes in time; the connection is closed
     */
    void requireAnswerWithin(Duration bound) throws SQLException {
        int usual = session.boundSocket((int) bound.toMillis());
        try {
            String unused = readAlone("select 1");
            session.restoreSocketBound(usual);
        } catch (SQLException e) {
            session.kill(e);
            close();
            throw e;
        }
    }

    /**
     * What distinguishes its server from others, and whether it is a standby. Asked in the transaction that locked, if
     * it is usable, as the next one may be on another server. Ends the transaction.
     */
    String server() throws SQLException {
        if (session.isAborted()) {
            connection.rollback();
        }
        try {
            return String.valueOf(read(SERVER));
        } catch (SQLException e) {
            if (!SqlState.UNDEFINED_FUNCTION.equals(e.getSQLState())) {
                throw e;
            }
            // A server of another make that does not say.
            return "unknown";
        } finally {
            connection.rollback();
        }
    }

    /** Whether all that the driver knows of the session says that it can write. */
    boolean isSaidToWrite() throws SQLException {
        return !connection.isReadOnly()
                && "off".equals(session.reported("default_transaction_read_only"))
                && "off".equals(session.reported("in_hot_standby"));
    }

    /** As it calls itself, which the driver does not pass on. */
    String product() throws SQLException {
        return session.ask("version()");
    }

    /** A connection that cannot be given back as it was is ended, so that nobody gets it from a pool. */
    @Override
    public void close() {
        try (connection) {
            try {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
                session.restoreSocketBound(socketBound);
            } catch (SQLException e) {
                session.kill(e);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "A connection was lost while locks were verified", e);
        }
    }
}
