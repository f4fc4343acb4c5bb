package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.internal.text.SqlState;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/**
 * A connection for queries that only read. Each query runs in a read-only transaction of its own, with timeouts. Every
 * setting is local to the transaction, so a pooler's connection keeps no setting. Not thread-safe.
 */
final class ReadOnlySession implements AutoCloseable {
    /** The limit for a statement. A longer statement would itself load the server. */
    static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    /** The limit for waits for a table lock, such as the lock of a running ALTER TABLE. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(250);

    /** The limit for a server that no longer answers. The limit is well over the statement timeout. */
    private static final int SOCKET_TIMEOUT_SECONDS = 30;

    private static final int ROUND_TRIPS = 15;

    static final String BEGIN = "set transaction read only; set local statement_timeout = "
            + STATEMENT_TIMEOUT.toMillis() + "; set local lock_timeout = " + LOCK_TIMEOUT.toMillis();

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
        // Named statements outlive a transaction, and not every pooler supports such statements.
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

    /** Runs a query in its own transaction. If the connection is lost, throws a {@link UserError}. */
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

    /** The number of transactions that this session committed. The server's statistics include them. */
    long transactions() {
        return transactions;
    }

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

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // The session has changed nothing, so an unclean close does no harm.
        }
    }
}
