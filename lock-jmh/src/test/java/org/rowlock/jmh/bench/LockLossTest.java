package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockConnectionLostException;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.testing.JmhRuns;
import org.rowlock.testing.TestDatabase;

/** Kills a server in each test, so there are only a few tests. */
@Tag("long")
@SuppressWarnings("try") // A test may be interrupted while it waits for its clients.
class LockLossTest {
    private static final int CLIENTS = 20;
    private static final int COMMITS = 1_000;

    /** The keys that one transaction holds when the server is killed. All higher keys are free. */
    private static final List<Integer> HELD =
            IntStream.rangeClosed(1, 1_000).boxed().toList();

    /** The number of free keys, so small that clients compete for the same keys. */
    private static final int FREE = 100;

    /**
     * Every client that holds a lock raises a fencing token by one. At the end, the tokens on the server are compared
     * with the records of the clients.
     */
    @ParameterizedTest
    @EnumSource(
            value = Strategy.class,
            names = {"ROW", "BOTH", "ADVISORY"})
    void noCommitAndNoLockIsLostWithTheServer(Strategy strategy) throws Exception {
        assertThatCode(crashed(strategy)::check).doesNotThrowAnyException();
    }

    @Test
    void aLockThatLetsTwoInIsFound() throws Exception {
        LossLedger.Verdict verdict = crashed(Strategy.NONE);
        assertThatThrownBy(verdict::check).hasMessageContaining("after the crash there are ");
    }

    private static LossLedger.Verdict crashed(Strategy strategy) throws Exception {
        try (BenchmarkServer server = BenchmarkServer.open(Map.of("max_locks_per_transaction", "256"))) {
            Tokens.create(server, HELD.size() + FREE);
            Crowd crowd = new Crowd(strategy, server.dataSource());
            try (crowd;
                    Connection holder = server.connect()) {
                long held = crowd.hold(holder);
                crowd.start();
                crowd.awaitCommits(COMMITS);
                int before = crowd.heldCommits.get();
                LockLoss.crash(server);
                crowd.await("a lock that was held", () -> crowd.heldCommits.get() > before);
                // By now other clients hold the holder's locks, and the holder has not noticed.
                assertThatThrownBy(() -> crowd.release(holder, held)).matches(LockLossTest::isLost);
                try (Connection again = server.connect()) {
                    crowd.release(again, crowd.hold(again));
                }
                crowd.awaitCommits(COMMITS);
            }
            try (Connection connection = server.connect()) {
                return crowd.ledger.compare(Tokens.journal(connection), Tokens.raised(connection));
            }
        }
    }

    private static boolean isLost(Throwable failure) {
        String state = failure instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
        return failure instanceof LockConnectionLostException || state.startsWith("08") || state.startsWith("57P0");
    }

    /**
     * Clients with separate connections. Each client repeatedly locks a key, raises the key's token and commits. If the
     * server stops, the clients reconnect until the server has restarted. Half of the clients use keys that are held
     * when the server is killed.
     */
    private static final class Crowd implements AutoCloseable {
        private final Strategy strategy;
        private final DataSource unpooled;
        private final Locking locking;
        private final LossLedger ledger = new LossLedger(HELD.size() + FREE + 1);
        private final AtomicInteger heldCommits = new AtomicInteger();
        private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        private final List<Future<?>> clients = new ArrayList<>();
        private volatile boolean stopped;

        Crowd(Strategy strategy, DataSource unpooled) {
            this.strategy = strategy;
            this.unpooled = unpooled;
            this.locking = locking();
        }

        private Locking locking() {
            return new Locking(strategy, false, unpooled, Tokens.TABLE, "id");
        }

        /**
         * Locks all keys of {@link #HELD}, in the role of another instance of the application. The transaction stays
         * open.
         */
        long hold(Connection connection) throws SQLException {
            connection.setAutoCommit(false);
            locking().lockAll(connection, HELD, RowLockMode.FOR_UPDATE);
            long transaction = ledger.begin();
            HELD.forEach(key -> ledger.enter(key, transaction));
            Tokens.raise(connection, HELD.get(0), transaction);
            return transaction;
        }

        void release(Connection connection, long transaction) throws SQLException {
            HELD.forEach(key -> ledger.leave(key, transaction));
            commit(connection, transaction);
        }

        private void commit(Connection connection, long transaction) throws SQLException {
            ledger.commitAsked(transaction);
            connection.commit();
            ledger.commitAcknowledged(transaction);
        }

        void start() {
            for (int i = 0; i < CLIENTS; i++) {
                boolean wantsHeld = i % 2 == 0;
                clients.add(threads.submit(() -> {
                    work(wantsHeld);
                    return null;
                }));
            }
        }

        private void work(boolean wantsHeld) throws SQLException {
            DiscreteSampler keys = Zipf.zipf(wantsHeld ? HELD.size() : FREE, 1.1);
            while (!stopped) {
                try (Connection connection = unpooled.getConnection()) {
                    connection.setAutoCommit(false);
                    while (!stopped) {
                        int key = keys.sample() + (wantsHeld ? 0 : HELD.size());
                        locking.admitted(
                                List.of(locking.key(key)), RowLockMode.FOR_UPDATE, () -> transact(connection, key));
                        heldCommits.addAndGet(wantsHeld ? 1 : 0);
                    }
                } catch (SQLException | RuntimeException e) {
                    if (!isLost(e)) {
                        throw e;
                    }
                    // For each attempt, the starting server has to create a process.
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                }
            }
        }

        private void transact(Connection connection, int key) throws SQLException {
            long transaction = ledger.begin();
            locking.lock(connection, key);
            ledger.enter(key, transaction);
            try {
                Tokens.raise(connection, key, transaction);
            } finally {
                ledger.leave(key, transaction);
            }
            commit(connection, transaction);
        }

        void awaitCommits(int more) {
            int enough = ledger.acknowledged() + more;
            await(enough + " commits", () -> ledger.acknowledged() >= enough);
        }

        void await(String what, Callable<Boolean> condition) {
            TestDatabase.await(what)
                    .atMost(TestDatabase.DEADLINE.multipliedBy(2))
                    .failFast("a client has failed", () -> clients.stream().anyMatch(Future::isDone))
                    .until(condition);
        }

        /** Stops the clients after their current transactions. */
        @Override
        public void close() throws Exception {
            stopped = true;
            threads.shutdown();
            for (Future<?> client : clients) {
                TestDatabase.result(client);
            }
        }
    }

    @Test
    void aServerThatIsNotOursIsNotKilled() {
        assertThat(JmhRuns.failure(LockLoss.class, "strategy", "ADVISORY", "locks", "100"))
                .anyMatch(message -> message.contains("must not kill"));
    }
}
