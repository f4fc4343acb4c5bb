package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** Proves that an advisory lock of one connection excludes another. */
final class LockVerifier {
    private final RowLocks locks;

    LockVerifier(RowLocks locks) {
        this.locks = locks;
    }

    void verify(DataSource dataSource) {
        if (dataSource == null) {
            throw new IllegalArgumentException("The DataSource is null");
        }
        LockKey key = LockKey.number(ThreadLocalRandom.current().nextLong());
        try (Probe holder = new Probe(dataSource);
                Probe other = new Probe(dataSource)) {
            locks.in(holder.connection).lock(key);
            if (locks.in(other.connection).tryLock(key)) {
                throw new LockVerificationException(
                        "Two connections were both granted the exclusive advisory lock " + key + " by "
                                + holder.product()
                                + ". This server or the pooler in front of it accepts advisory locks without locking:"
                                + " use strategy ROW, or connect to PostgreSQL itself.",
                        null);
            }
            holder.connection.rollback();
            if (!locks.in(other.connection).tryLock(key)) {
                throw new LockVerificationException(
                        "The advisory lock " + key + " was not granted after its holder had rolled back, by "
                                + holder.product() + ". Locks do not end with their transaction there: use strategy"
                                + " ROW, or connect to PostgreSQL itself.",
                        null);
            }
        } catch (LockVerificationException | LockTransactionException e) {
            throw e;
        } catch (LockException | SQLException e) {
            throw new LockVerificationException(
                    "Advisory locks could not be verified, which takes two connections at a time: " + e.getMessage()
                            + ". Check the server and that the pool has at least two connections.",
                    e);
        }
    }

    /** A connection in a transaction that is rolled back at the end. */
    private static final class Probe implements AutoCloseable {
        final Connection connection;
        private final boolean autoCommit;

        Probe(DataSource dataSource) throws SQLException {
            connection = dataSource.getConnection();
            try {
                autoCommit = connection.getAutoCommit();
                connection.setAutoCommit(false);
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        }

        String product() throws SQLException {
            String cockroach = PgSession.unwrap(connection).getParameterStatus("crdb_version");
            return cockroach != null
                    ? cockroach
                    : connection.getMetaData().getDatabaseProductName()
                            + ' '
                            + connection.getMetaData().getDatabaseProductVersion();
        }

        @Override
        public void close() throws SQLException {
            try (connection) {
                connection.rollback();
                if (autoCommit) {
                    connection.setAutoCommit(true);
                }
            }
        }
    }
}
