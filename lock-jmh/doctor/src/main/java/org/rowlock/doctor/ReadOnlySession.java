package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.internal.text.SqlState;

/**
 * A connection that can only read. Each probe runs in a transaction of its own that is read-only and bounded. All of it
 * is set for the transaction and not for the session, so that nothing stays behind in a pooler's connection. Not
 * thread-safe.
 */
final class ReadOnlySession implements AutoCloseable {
    /** How long a statement may take. What takes longer would itself be a load. */
    static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    /** How long a statement may wait for a table lock, such as that of a running ALTER TABLE. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(250);

    /** For a server that is gone without a word. Well over the statement timeout. */
    private static final int SOCKET_TIMEOUT_SECONDS = 30;

    private static final int ROUND_TRIPS = 15;

    static final String BEGIN = "set transaction read only; set local statement_timeout = "
            + STATEMENT_TIMEOUT.toMillis() + "; set local lock_timeout = " + LOCK_TIMEOUT.toMillis();

    /** Reads something in a transaction that somebody else begins and ends. */
    @FunctionalInterface
    interface Look<T> {
        T at(Connection connection) throws SQLException;
    }

    private final ServerAddress address;
    private final Connection connection;

    private long transactions;

    private ReadOnlySession(ServerAddress address, Connection connection) {
        this.address = address;
        this.connection = connection;
    }

    static ReadOnlySession open(ServerAddress address) {
        PGSimpleDataSource dataSource = address.dataSource("rowlock-doctor");
        // Named statements outlive a transaction, which poolers do not take well.
        dataSource.setPrepareThreshold(0);
        dataSource.setSocketTimeout(SOCKET_TIMEOUT_SECONDS);
        try {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            return new ReadOnlySession(address, connection);
        } catch (SQLException e) {
            throw ServerFailures.at(address, e);
        }
    }

    /** What one probe sees, or the server's refusal; a lost connection is a {@link UserError}. */
    <T> T read(Look<T> look) throws SQLException {
        try (Statement begin = connection.createStatement()) {
            begin.execute(BEGIN);
            T seen = look.at(connection);
            connection.commit();
            transactions++;
            return seen;
        } catch (SQLException e) {
            if (SqlState.isConnectionLost(e.getSQLState())) {
                throw ServerFailures.at(address, e);
            }
            try {
                connection.rollback();
            } catch (SQLException later) {
                e.addSuppressed(later);
            }
            throw e;
        }
    }

    /** How many transactions were made here, which are in the server's statistics too. */
    long transactions() {
        return transactions;
    }

    /** How long a round trip takes, the middle of some. */
    double roundTripMillis() throws SQLException {
        return read(connection -> {
            double[] millis = new double[ROUND_TRIPS];
            for (int i = 0; i < ROUND_TRIPS; i++) {
                long began = System.nanoTime();
                ServerQuery.query(connection, "select 1");
                millis[i] = (System.nanoTime() - began) / 1e6;
            }
            Arrays.sort(millis);
            return millis[ROUND_TRIPS / 2];
        });
    }

    /** The process that the server said serves this connection; a pooler says something else. */
    int announcedPid() throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // It only read; a connection that does not close in good order leaves nothing behind.
        }
    }
}
