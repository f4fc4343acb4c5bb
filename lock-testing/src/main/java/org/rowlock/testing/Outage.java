package org.rowlock.testing;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Simulates an outage, in which no call obtains a connection. The first call waits for {@link #letGo}. Each later call
 * waits for all later calls. Each call then fails.
 */
public final class Outage {
    private final AtomicInteger tries = new AtomicInteger();
    private final CountDownLatch firstIsIn = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final CyclicBarrier allAreIn;
    private volatile boolean on;

    /** @param behind the number of calls behind the first */
    public Outage(int behind) {
        allAreIn = new CyclicBarrier(behind);
    }

    public DataSource of(DataSource target) {
        return TestDataSource.of(() -> {
            if (on) {
                fail();
            }
            return target.getConnection();
        });
    }

    private void fail() throws SQLException {
        try {
            if (tries.incrementAndGet() == 1) {
                firstIsIn.countDown();
                letGo.await();
            } else {
                allAreIn.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            }
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new SQLException("not all are in", e);
        }
        throw new SQLTransientConnectionException("connection timeout");
    }

    public void begin() {
        on = true;
    }

    public void end() {
        on = false;
    }

    /** Waits until the first call waits for its connection. Returns false at the deadline. */
    public boolean awaitFirst() throws InterruptedException {
        return firstIsIn.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    public void letGo() {
        letGo.countDown();
    }
}
