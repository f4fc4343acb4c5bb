package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.Contexts.Probing;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Checks that a call that begins a transaction queues in the JVM before it borrows a connection. A call inside a
 * transaction does not queue.
 */
@Tag("long")
class AdmissionTest {
    private static final int CROWD = 20;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    static class Service extends Probing {
        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);

        @Transactional
        public int hold(@RowLock("account") int id) throws InterruptedException {
            held.countDown();
            letGo.await();
            return probe.locks();
        }

        @Transactional
        public void add(@RowLock("account") int id) {
            probe.setBalance(id, probe.balance(id) + 1);
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void addInNew(@RowLock("account") int id) {
            probe.setBalance(id, probe.balance(id) + 1);
        }
    }

    private void crowd(TestContext context, int active, int awaiting) throws Exception {
        Service service = context.getBean(Service.class);
        HikariDataSource pool = context.getBean(HikariDataSource.class);
        ExecutorService crowd = Executors.newFixedThreadPool(1 + CROWD);
        try {
            List<Future<?>> all = new ArrayList<>();
            all.add(crowd.submit(() -> service.hold(1)));
            context.target(Service.class).held.await();
            for (int i = 0; i < CROWD; i++) {
                all.add(crowd.submit(() -> service.add(1)));
            }
            TestDatabase.await().untilAsserted(() -> {
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(active);
                assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection())
                        .isEqualTo(awaiting);
                // Without this check, some threads could still be on the way to the queue.
                assertThat(((java.util.concurrent.ThreadPoolExecutor) crowd).getActiveCount())
                        .isEqualTo(1 + CROWD);
            });
            if (awaiting == 0) {
                service.add(2);
                assertThat(database.query("select balance from account where id = 2"))
                        .isEqualTo("1");
            }
            context.target(Service.class).letGo.countDown();
            for (Future<?> each : all) {
                TestDatabase.result(each);
            }
            assertThat(database.query("select balance from account where id = 1"))
                    .isEqualTo(String.valueOf(CROWD));
            assertThat(context.queues().keysInUse()).isZero();
        } finally {
            context.target(Service.class).letGo.countDown();
            crowd.shutdownNow();
            assertThat(crowd.awaitTermination(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    @Test
    void hotRowTakesOneConnectionAndOthersGoOn() throws Exception {
        var context = Contexts.start(database, Service.class);
        crowd(context, 1, 0);
    }

    /** The control: without admission, the same threads take all connections of the pool. */
    @Test
    void withoutAdmissionAHotRowTakesAllConnections() throws Exception {
        var context = Contexts.start(
                database, beans -> Contexts.settings(beans, new TestSettings().admission(false)), Service.class);
        crowd(context, Contexts.POOL, CROWD + 1 - Contexts.POOL);
    }

    /** A transaction that holds locks must not wait in a queue that the server cannot see. */
    @Test
    void insideATransactionNobodyQueues() throws Exception {
        var context = Contexts.start(database, Service.class);
        Service service = context.getBean(Service.class);
        TransactionTemplate transactions = context.transactions();
        transactions.executeWithoutResult(status -> {
            service.add(1);
            service.addInNew(2);
            assertThat(context.queues().keysInUse()).isZero();
        });
        assertThat(database.query("select sum(balance) from account")).isEqualTo("2");
    }
}
