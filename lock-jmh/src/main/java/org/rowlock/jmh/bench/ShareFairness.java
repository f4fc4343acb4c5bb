package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;

/**
 * Measures how long a writer waits for a row that other transactions always share. Each sharer repeatedly locks the row
 * FOR SHARE, holds the lock for a while, and commits. The writer locks the row FOR UPDATE, updates the row, commits,
 * and pauses.
 */
@ByHand(Strategy.FOR_UPDATE)
public class ShareFairness extends LockWorkload {
    private static final int ROW = 1;
    private static final double HOLD_MILLIS = 20;

    @Param("8")
    public int clients;

    /**
     * The average pause of the writer after each commit, in milliseconds. The pause varies by half in either direction,
     * so the writer arrives at random moments.
     */
    @Param("50")
    public double pauseMillis;

    private final LongAdder raised = new LongAdder();
    private final Exclusion exclusion = new Exclusion(1);

    @Override
    void prepare() throws SQLException {
        atEnd(exclusion::check);
        Accounts accounts = Accounts.create(server, ROW);
        atEnd(() -> accounts.checkSum(raised.sum()));
        Locking locking = locking(server.pool(clients + 1), Accounts.TABLE, Accounts.ID);
        threads.addBeside("writes", 1, number -> writer(locking));
        threads.add("sharers", clients, number -> sharer(locking));
    }

    private Clients.Operation sharer(Locking locking) {
        return () -> {
            locking.transaction(
                    List.of(ROW),
                    RowLockMode.FOR_SHARE,
                    connection -> exclusion.inside(0, true, () -> holdAndCompare(connection)));
            return 1;
        };
    }

    private void holdAndCompare(Connection connection) throws SQLException {
        long before = Accounts.read(connection, ROW);
        Clients.pause(HOLD_MILLIS);
        long after = Accounts.read(connection, ROW);
        if (before != after) {
            exclusion.violated(
                    "the row was locked FOR SHARE, and another transaction changed it from " + before + " to " + after);
        }
    }

    private Clients.Operation writer(Locking locking) {
        Latency wait = meter.latency("writer");
        return () -> {
            wait.begin();
            locking.transaction(ROW, connection -> {
                wait.end();
                exclusion.inside(0, () -> Accounts.raise(connection, ROW));
            });
            raised.increment();
            Clients.pause(pauseMillis * ThreadLocalRandom.current().nextDouble(0.5, 1.5));
            return 1;
        };
    }
}
