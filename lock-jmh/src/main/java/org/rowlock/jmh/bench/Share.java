package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.TransactionLocks;
import org.rowlock.jmh.server.Sql;

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

    /** Two transactions share all rows, and when one has ended nobody else can have a single one alone. */
    private void checkHolds() throws SQLException {
        try (Connection first = server.begin();
                Connection second = server.begin();
                Connection other = server.begin()) {
            locking.lockAll(first, aids, RowLockMode.FOR_SHARE);
            // The second would wait for ever if it could not share.
            Sql.execute(second, "set local lock_timeout = '10s'");
            locking.lockAll(second, aids, RowLockMode.FOR_SHARE);
            first.rollback();
            TransactionLocks outsider = locking.locks().in(other);
            for (LockKey key : locking.keys(aids)) {
                if (outsider.tryLock(forUpdate(key)).isLocked()) {
                    throw new InvariantViolation(
                            key + " was locked FOR UPDATE while another transaction holds it FOR SHARE");
                }
            }
            second.rollback();
        }
    }
}
