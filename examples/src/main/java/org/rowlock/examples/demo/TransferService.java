package org.rowlock.examples.demo;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;

/**
 * The application of the demo: moves money in one transaction under the locks of both accounts.
 *
 * <p>The mode is {@code FOR UPDATE}, as that is what applications write today. Both accounts are locked in one call,
 * which takes them in one order: transfers never deadlock, however they cross, so a deadlock here is a failure.
 *
 * <p>Thread-safe; one for all clients, as they must share the admission queues.
 */
final class TransferService {
    /** By account number minus one; a key can be kept and used again. */
    private static final List<LockKey> KEYS = IntStream.rangeClosed(1, DemoAccounts.COUNT)
            .mapToObj(id -> (LockKey) LockKey.row(DemoAccounts.TABLE, id))
            .toList();

    private final DataSource pool;
    private final RowLocks locks;
    private final boolean admission;

    TransferService(DataSource pool, DemoVariant variant) {
        this.pool = pool;
        this.locks = RowLocks.builder().strategy(variant.strategy()).build();
        this.admission = variant.admission();
    }

    Receipt execute(Transfer transfer) throws SQLException {
        List<LockKey> keys = List.of(KEYS.get(transfer.from() - 1), KEYS.get(transfer.to() - 1));
        return admission ? withAdmission(keys, transfer) : withoutAdmission(keys, transfer);
    }

    /** Rowlock runs the transaction: queue, connection, begin, lock, work, commit. */
    private Receipt withAdmission(List<LockKey> keys, Transfer transfer) throws SQLException {
        long asked = System.nanoTime();
        return locks.inTransaction(pool, forUpdate(keys), tx -> {
            long waited = System.nanoTime() - asked;
            return new Receipt(move(tx.connection(), transfer), waited);
        });
    }

    /** The transaction is the application's own, and the lock call stands where {@code FOR UPDATE} stood. */
    private Receipt withoutAdmission(List<LockKey> keys, Transfer transfer) throws SQLException {
        long asked = System.nanoTime();
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                locks.in(connection).lock(forUpdate(keys));
                long waited = System.nanoTime() - asked;
                long moved = move(connection, transfer);
                connection.commit();
                return new Receipt(moved, waited);
            } catch (SQLException | RuntimeException failure) {
                rollBack(connection, failure);
                throw failure;
            }
        }
    }

    private static void rollBack(Connection connection, Exception failure) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Reads both balances, decides, and writes both as absolute numbers. Nothing but the locks keeps two transfers from
     * reading the same balance and the second from undoing the first, so the sum shows whether they held.
     */
    private static long move(Connection connection, Transfer transfer) throws SQLException {
        long fromBalance = -1;
        long toBalance = -1;
        try (PreparedStatement read =
                connection.prepareStatement("select id, balance from " + DemoAccounts.TABLE + " where id in (?, ?)")) {
            read.setInt(1, transfer.from());
            read.setInt(2, transfer.to());
            try (ResultSet rows = read.executeQuery()) {
                while (rows.next()) {
                    if (rows.getInt(1) == transfer.from()) {
                        fromBalance = rows.getLong(2);
                    } else {
                        toBalance = rows.getLong(2);
                    }
                }
            }
        }
        long moved = Math.min(transfer.amount(), fromBalance);
        write(connection, transfer.from(), fromBalance - moved);
        write(connection, transfer.to(), toBalance + moved);
        return moved;
    }

    private static void write(Connection connection, int account, long balance) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("update " + DemoAccounts.TABLE + " set balance = ? where id = ?")) {
            update.setLong(1, balance);
            update.setInt(2, account);
            int rows = update.executeUpdate();
            if (rows != 1) {
                throw new SQLException("Account " + account + " was to be written, and " + rows + " rows were");
            }
        }
    }
}
