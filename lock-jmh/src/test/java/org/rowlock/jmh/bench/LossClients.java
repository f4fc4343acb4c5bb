package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/**
 * Clients that lock a key, raise its token, commit, and begin again, each with a connection of its own. Where the
 * server goes away they try until it is back. Half of them want keys that others hold when the server is killed; the
 * others want keys of their own, and so are at work at that moment. All are of one application instance.
 */
final class LossClients implements AutoCloseable {
    /** For those at work. So few that they meet. */
    static final int FREE_KEYS = 100;

    private static final double ZIPF = 1.1;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** Between attempts to connect. Each costs a server that is starting a process, so more would keep it from that. */
    private static final long LEAST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long MOST_PAUSE = TimeUnit.MILLISECONDS.toNanos(150);

    private final Locking locking;
    private final DataSource unpooled;
    private final LossLedger ledger;
    private final Outage outage;
    private final int heldKeys;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    /**
     * @param locking how they lock
     * @param unpooled where their connections come from
     * @param heldKeys how many keys, from 1 on, others will hold; behind them come the free ones
     */
    LossClients(Locking locking, DataSource unpooled, LossLedger ledger, Outage outage, int heldKeys) {
        this.locking = locking;
        this.unpooled = unpooled;
        this.ledger = ledger;
        this.outage = outage;
        this.heldKeys = heldKeys;
    }

    void start(int clients) {
        for (int i = 0; i < clients; i++) {
            Thread thread = new Thread(new Client(i % 2 == 0), "rowlock-jmh-client-" + i);
            // Whatever becomes of the benchmark, they must not keep its JVM.
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Returns when so many more transactions have committed. */
    void awaitCommits(int more) {
        int enough = ledger.acknowledged() + more;
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (ledger.acknowledged() < enough) {
            outage.check();
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "The clients have committed " + ledger.acknowledged() + " transactions, and have not come to "
                                + enough + " within " + LIMIT.toMinutes() + " minutes");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Each finishes what it has begun. */
    @Override
    public void close() {
        stopped = true;
        try {
            for (Thread thread : threads) {
                thread.join(LIMIT.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Client implements Runnable {
        private final int before;
        private final DiscreteSampler keys;
        private @Nullable Connection connection;
        private long connected;
        private boolean newServer;

        Client(boolean wantsHeldKeys) {
            this.before = wantsHeldKeys ? 0 : heldKeys;
            this.keys = Zipf.zipf(wantsHeldKeys ? heldKeys : FREE_KEYS, ZIPF);
        }

        @Override
        public void run() {
            try {
                while (!stopped) {
                    try {
                        admitted(before + keys.sample());
                    } catch (SQLException | RuntimeException e) {
                        if (!Outage.isLost(e)) {
                            throw e;
                        }
                        disconnect();
                        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LEAST_PAUSE, MOST_PAUSE));
                    }
                }
            } catch (SQLException | RuntimeException e) {
                outage.failed(e);
            } finally {
                disconnect();
            }
        }

        private void admitted(int key) throws SQLException {
            locking.admitted(List.of(locking.key(key)), RowLockMode.FOR_UPDATE, () -> transact(key));
        }

        private void transact(int key) throws SQLException {
            Connection current = connect();
            long transaction = ledger.begin();
            locking.lock(current, key);
            ledger.enter(key, transaction);
            try {
                if (newServer && key <= heldKeys) {
                    outage.granted(connected);
                }
                Tokens.raise(current, key, transaction);
            } finally {
                ledger.leave(key, transaction);
            }
            ledger.commitAsked(transaction);
            current.commit();
            ledger.commitAcknowledged(transaction);
        }

        private Connection connect() throws SQLException {
            Connection current = connection;
            if (current == null) {
                current = unpooled.getConnection();
                connection = current;
                connected = System.nanoTime();
                newServer = outage.connected(current, connected);
                current.setAutoCommit(false);
            }
            return current;
        }

        private void disconnect() {
            Connection current = connection;
            connection = null;
            if (current != null) {
                Outage.closeBroken(current);
            }
        }
    }
}
