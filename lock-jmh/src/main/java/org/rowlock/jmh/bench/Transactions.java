package org.rowlock.jmh.bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.AdmissionQueues;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.TransactionWork;

/**
 * Runs work in a transaction under a lock, as the variant has it and as an application would write it. Thread-safe; one
 * for all threads of an application instance, as they share the admission queues.
 */
final class Transactions {
    private final Variant variant;
    private final DataSource pool;
    private final RowLocks locks;

    Transactions(Variant variant, DataSource pool) {
        this.variant = variant;
        this.pool = pool;
        this.locks = variant.method().isRowlock()
                ? RowLocks.builder().strategy(variant.method().strategy()).build()
                : RowLocks.create();
    }

    /** A statement that the work begins with, for the lock to travel with. Has one bind, and returns rows. */
    record First(String sql, Object bind) {
        private static final RowMapper<Boolean> IGNORED = row -> true;
    }

    RowLocks locks() {
        return locks;
    }

    DataSource pool() {
        return pool;
    }

    /** Borrows a connection, begins, locks, works, commits, and returns the connection. */
    void run(Hold hold, TransactionWork<?, SQLException> work) throws SQLException {
        long asked = System.nanoTime();
        if (variant.admission()) {
            locks.inTransaction(pool, hold.key(), connection -> {
                work(hold, asked, connection, work);
                return null;
            });
            return;
        }
        inTransaction(connection -> {
            lock(connection, hold.key());
            work(hold, asked, connection, work);
            return null;
        });
    }

    /**
     * The same where the work begins with a statement that a pipelined variant sends along with the lock, and the others
     * behind it.
     */
    void run(Hold hold, First first, TransactionWork<?, SQLException> rest) throws SQLException {
        if (!variant.pipelined()) {
            run(hold, connection -> {
                execute(connection, first);
                return rest.apply(connection);
            });
            return;
        }
        long asked = System.nanoTime();
        if (variant.admission()) {
            AdmissionQueues.Permit permit =
                    locks.admission().enter(pool, List.of(hold.key()), RowLockMode.FOR_UPDATE, LockWait.forever());
            try {
                pipelined(hold, asked, first, rest);
            } finally {
                permit.close();
            }
        } else {
            pipelined(hold, asked, first, rest);
        }
    }

    private void pipelined(Hold hold, long asked, First first, TransactionWork<?, SQLException> rest)
            throws SQLException {
        inTransaction(connection -> {
            locks.in(connection).lockAndQuery(hold.key(), first.sql(), First.IGNORED, first.bind());
            work(hold, asked, connection, rest);
            return null;
        });
    }

    private static void work(Hold hold, long asked, Connection connection, TransactionWork<?, SQLException> work)
            throws SQLException {
        hold.begin(asked);
        try {
            work.apply(connection);
        } finally {
            hold.end();
        }
    }

    /** Borrows a connection, begins, works, commits; rolls back whatever fails. */
    void inTransaction(TransactionWork<?, SQLException> work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            try {
                work.apply(connection);
                connection.commit();
            } catch (SQLException | RuntimeException failure) {
                try {
                    connection.rollback();
                } catch (SQLException e) {
                    failure.addSuppressed(e);
                }
                throw failure;
            }
        }
    }

    /** Locks one key exclusively in the caller's transaction. */
    void lock(Connection connection, LockKey key) throws SQLException {
        switch (variant.method()) {
            case ROW, BOTH, ADVISORY -> locks.in(connection).lock(key);
            case NAIVE -> lockNaively(connection, key);
            case OPTIMISTIC, NONE -> {}
        }
    }

    private static void lockNaively(Connection connection, LockKey key) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement("select pg_advisory_xact_lock(?)")) {
            lock.setLong(1, number(key));
            lock.execute();
        }
    }

    /** What hand-written code commonly uses: the first eight bytes of a text's md5, made in the client. */
    private static long number(LockKey key) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("MD5").digest(key.toString().getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has MD5", e);
        }
    }

    private static void execute(Connection connection, First first) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(first.sql())) {
            statement.setObject(1, first.bind());
            statement.execute();
        }
    }
}
