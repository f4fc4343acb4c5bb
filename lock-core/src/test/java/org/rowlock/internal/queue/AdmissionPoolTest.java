package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Outage;
import org.rowlock.testing.Pools;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** What admission is for: a hot key takes one connection of the pool, and not all of them. */
@Tag("long")
class AdmissionPoolTest {
    private static final int POOL = 16;
    private static final int CROWD = 50;
    private static final LockKey HOT = LockKey.row("account", 1);
    private static final LockKey COLD = LockKey.row("account", 2);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    private final CountDownLatch letGo = new CountDownLatch(1);

    @Test
    void hotKeyTakesTwoConnectionsAndABystanderGoesOn() throws Exception {
        RowLocks locks = LockAccess.builder().build();
        HikariDataSource pool = database.closing(Pools.of(database.dataSource(), POOL));
        CountDownLatch held = new CountDownLatch(1);
        List<Future<Object>> all = new ArrayList<>();
        all.add(Threads.start(() -> on(locks, pool).lock(forUpdate(HOT)).inTransaction(tx -> {
            held.countDown();
            letGo.await();
            return add(tx.connection(), HOT);
        })));
        held.await();
        for (int i = 0; i < CROWD; i++) {
            all.add(Threads.start(
                    () -> on(locks, pool).lock(forUpdate(HOT)).inTransaction(tx -> add(tx.connection(), HOT))));
        }
        // All but the next, who waits at the server.
        await(() -> entrants(locks, false) == CROWD - 1);
        await(() -> pool.getHikariPoolMXBean().getActiveConnections() == 2);
        assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection()).isZero();

        on(locks, pool).lock(forUpdate(COLD)).inTransaction(tx -> add(tx.connection(), COLD));
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("1");
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(2);

        letGo.countDown();
        awaitAll(all);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo(String.valueOf(CROWD + 1));
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
    }

    /** Over a network the key would else be free for most of the time. */
    @Test
    void ofAKeyThatIsHeldForNoRoundTripMoreThanTwoAreOnTheirWay() throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        try (TcpProxy network = TcpProxy.to(database.dataSource());
                HikariDataSource pool = Pools.of(network.through(database.dataSource()), POOL)) {
            network.delay(Duration.ofMillis(10), Duration.ofMillis(10));
            List<Future<Object>> all = new ArrayList<>();
            for (int i = 0; i < POOL; i++) {
                all.add(Threads.start(() -> {
                    while (!over.get()) {
                        CommitWrites writes = new CommitWrites();
                        writes.add("update account set balance = balance + 1 where id = 1")
                                .expectOneRow();
                        on(locks, pool).lock(forUpdate(HOT)).execute(writes);
                        done.incrementAndGet();
                    }
                    return null;
                }));
            }
            try {
                await(() -> entrants(locks, true) > 4);
            } finally {
                over.set(true);
            }
            awaitAll(all);
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo(String.valueOf(done.get()));
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
    }

    /**
     * With the queue as it is, each would wait for the connection timeout of everybody in front, one after the other.
     */
    @Test
    void inAnOutageThoseBehindTheFirstTryAtOnce() throws Exception {
        RowLocks locks = LockAccess.builder().maxAdmittedPerKey(1).build();
        int behind = 15;
        Outage outage = new Outage(behind);
        DataSource dataSource = outage.of(database.dataSource());
        outage.begin();
        List<Future<Object>> all = new ArrayList<>();
        for (int i = 0; i <= behind; i++) {
            all.add(Threads.start(
                    () -> on(locks, dataSource).lock(forUpdate(HOT)).inTransaction(tx -> null)));
            assertThat(outage.awaitFirst()).isTrue();
        }
        await(() -> entrants(locks, false) == behind);
        outage.letGo();
        for (Future<Object> each : all) {
            assertThatThrownBy(() -> TestDatabase.result(each)).hasRootCauseMessage("connection timeout");
        }
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
        // And when it is over they queue again.
        outage.end();
        on(locks, dataSource).lock(forUpdate(HOT)).useTransaction(tx -> {
            Future<Object> other = Threads.start(
                    () -> on(locks, dataSource).lock(forUpdate(HOT).noWait()).inTransaction(inner -> null));
            assertThatThrownBy(() -> TestDatabase.result(other))
                    .cause()
                    .isInstanceOf(LockNotAvailableException.class)
                    .hasMessageContaining("admission queue");
        });
    }

    @EveryStrategy
    @EnabledForJreRange(min = JRE.JAVA_21)
    void thousandVirtualThreadsShareAFewConnections(RowLocks locks) throws Exception {
        int threads = 1_000;
        AtomicInteger done = new AtomicInteger();
        // By reflection, as the tests are compiled for 17.
        ExecutorService crowd = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        try (HikariDataSource pool = Pools.of(database.dataSource(), 4)) {
            List<Future<Object>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(crowd.submit(() -> on(locks, pool).lock(forUpdate(HOT)).inTransaction(tx -> {
                    done.incrementAndGet();
                    return add(tx.connection(), HOT);
                })));
            }
            awaitAll(all);
            assertThat(done).hasValue(threads);
            assertThat(database.query("select balance from account where id = 1"))
                    .isEqualTo(String.valueOf(threads));
            assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
        } finally {
            crowd.shutdownNow();
        }
    }

    /** Reads, adds one in Java, writes: a lost update would show. */
    private static Object add(Connection connection, LockKey key) throws SQLException {
        String where = " where id = " + ((LockKey.Row) key).id().get(0);
        long balance = Long.parseLong(TestDatabase.query(connection, "select balance from account" + where));
        TestDatabase.execute(connection, "update account set balance = " + (balance + 1) + where);
        return null;
    }

    private static long entrants(RowLocks locks, boolean admitted) {
        return LockAccess.of(locks).calls().queues().entrants().stream()
                .filter(entrant -> entrant.isAdmitted() == admitted)
                .count();
    }

    private static void await(Callable<Boolean> condition) {
        TestDatabase.await().until(condition);
    }

    private static void awaitAll(List<Future<Object>> all) throws Exception {
        for (Future<Object> each : all) {
            TestDatabase.result(each);
        }
    }

    @AfterEach
    void theCrowdMayGo() {
        letGo.countDown();
    }
}
