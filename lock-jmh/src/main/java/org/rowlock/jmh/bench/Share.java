package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.TransactionLocks;

/**
 * Shared locks on many neighbouring rows in one transaction, the same rows for every client, and nothing else: begin,
 * lock all in one call, commit.
 */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE})
public class Share extends LockWorkload {
    @Param("4")
    public int clients;

    /** How many rows a transaction locks. */
    @Param("1000")
    public int rows;

    private Locking locking;
    private List<Integer> aids;

    @Override
    void prepare() throws SQLException {
        if (strategy.isRowlock() || strategy == Strategy.NONE) {
            atEnd(this::checkHolds);
        }
        atEnd(Accounts.create(server, rows)::check);
        aids = IntStream.rangeClosed(1, rows).boxed().toList();
        locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        threads.add("client", clients, number -> {
            Latency lock = meter.latency("lock");
            return () -> {
                lock.begin();
                locking.transaction(aids, RowLockMode.FOR_SHARE, connection -> lock.end());
                return 1;
            };
        });
    }

    /** Two transactions share all rows, and nobody else can have a single one alone until both have ended. */
    private void checkHolds() throws SQLException {
        try (Connection first = server.begin();
                Connection second = server.begin();
                Connection other = server.begin()) {
            TransactionLocks outsider = locking.locks().in(other);
            List<LockKey> keys = locking.keys(aids);
            locking.lockAll(first, aids, RowLockMode.FOR_SHARE);
            // The second would wait for ever if it could not share, so that is tried before.
            if (!outsider.tryLock(forShare(keys)).isLocked()) {
                throw new InvariantViolation("a transaction holds keys FOR SHARE, and another could not share them");
            }
            other.rollback();
            locking.lockAll(second, aids, RowLockMode.FOR_SHARE);
            refuseAll(outsider, keys, "two transactions hold it FOR SHARE");
            first.rollback();
            refuseAll(outsider, keys, "the second of two transactions still holds it FOR SHARE");
            second.rollback();
            if (!outsider.tryLock(forUpdate(keys)).isLocked()) {
                throw new InvariantViolation("the sharers have ended, and their keys cannot be locked FOR UPDATE");
            }
            other.rollback();
        }
    }

    private static void refuseAll(TransactionLocks outsider, List<LockKey> keys, String because) {
        for (LockKey key : keys) {
            if (outsider.tryLock(forUpdate(key)).isLocked()) {
                throw new InvariantViolation(key + " was locked FOR UPDATE while " + because);
            }
        }
    }
}
