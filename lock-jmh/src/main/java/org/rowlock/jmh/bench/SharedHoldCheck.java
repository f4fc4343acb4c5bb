package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.TransactionLocks;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Makes sure that shared locks are what they are measured for: two transactions share all keys, and nobody else can have
 * a single one of them alone until both have ended.
 */
final class SharedHoldCheck {
    private final BenchmarkServer server;
    private final LockedWork locked;
    private final List<LockKey> keys;

    /** Locks as the benchmark has locked: the same keys in the same way. */
    SharedHoldCheck(BenchmarkServer server, LockedWork locked, List<LockKey> keys) {
        this.server = server;
        this.locked = locked;
        this.keys = keys;
    }

    void run() throws SQLException {
        try (Connection first = begin();
                Connection second = begin();
                Connection other = begin()) {
            TransactionLocks outsider = locked.transactions().locks().in(other);
            locked.lock(first, keys, RowLockMode.FOR_SHARE);
            // The second would wait for ever if it could not share, so that is tried before.
            if (!outsider.tryLockAll(keys, RowLockMode.FOR_SHARE, LockWait.noWait())) {
                throw new InvariantViolation("A transaction holds keys FOR SHARE, and another could not share them");
            }
            other.rollback();
            locked.lock(second, keys, RowLockMode.FOR_SHARE);
            refuseAll(outsider, "two transactions hold it FOR SHARE");
            first.rollback();
            refuseAll(outsider, "the second of two transactions still holds it FOR SHARE");
            second.rollback();
            if (!outsider.tryLockAll(keys)) {
                throw new InvariantViolation("The sharers have ended, and their keys cannot be locked FOR UPDATE");
            }
            other.rollback();
        }
    }

    private void refuseAll(TransactionLocks outsider, String because) {
        for (LockKey key : keys) {
            if (outsider.tryLock(key)) {
                throw new InvariantViolation(key + " was locked FOR UPDATE while " + because);
            }
        }
    }

    private Connection begin() throws SQLException {
        Connection connection = server.connect();
        connection.setAutoCommit(false);
        return connection;
    }
}
