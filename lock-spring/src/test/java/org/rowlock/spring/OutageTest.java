package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.RowLockTests.assertNotAcquired;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.testing.Outage;
import org.rowlock.testing.TestDatabase;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.transaction.annotation.Transactional;

/** Checks that, in an outage, the calls in a queue do not wait for one connection timeout after another. */
@Tag("long")
class OutageTest {
    private static final int BEHIND = 15;
    private static final List<LockKey> KEY = List.of(LockKey.row("account", 1));

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @Transactional
    static class Accounts {
        public void run(@RowLock("account") long id, Runnable work) {
            work.run();
        }

        public void share(@RowLock(value = "account", mode = RowLockMode.FOR_SHARE) long id, Runnable work) {
            work.run();
        }
    }

    /** The ways in which a call can begin to queue. */
    enum Way {
        ANNOTATION,
        TEMPLATE,
        /** The connection is borrowed only for the lock. */
        LAZY_CONNECTION;

        void run(TestContext context, LockWait wait, Runnable work) {
            if (this == TEMPLATE) {
                context.template().inTransaction(RequestParts.of(forUpdate(KEY)).waiting(wait), () -> {
                    work.run();
                    return true;
                });
            } else {
                context.getBean(Accounts.class).run(1, work);
            }
        }

        void share(TestContext context, Runnable work) {
            if (this == TEMPLATE) {
                context.template().inTransaction(forShare(KEY), () -> {
                    work.run();
                    return true;
                });
            } else {
                context.getBean(Accounts.class).share(1, work);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void thoseBehindTheFirstTryAtOnce(Way way) throws Exception {
        Outage outage = new Outage(BEHIND);
        DataSource failing = outage.of(database.dataSource());
        DataSource used = way == Way.LAZY_CONNECTION ? lazy(failing) : failing;
        TestContext context = start(used);
        KeyQueues queues = context.queues();
        outage.begin();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i <= BEHIND; i++) {
            all.add(Blocking.run(() -> way.run(context, LockWait.FOREVER, () -> {})));
            assertThat(outage.awaitFirst()).isTrue();
        }
        TestDatabase.await().until(() -> queues.entrants().size() == 1 + BEHIND);
        outage.letGo();
        for (CompletableFuture<Void> each : all) {
            assertThatThrownBy(() -> TestDatabase.result(each)).hasRootCauseMessage("connection timeout");
        }
        assertThat(queues.keysInUse()).isZero();
    }

    /**
     * A caller without a connection stays in the queue during the whole test, so that the queue and its state are kept.
     */
    @ParameterizedTest
    @EnumSource(names = {"ANNOTATION", "TEMPLATE"})
    void whenItIsOverTheyQueueAgain(Way way) throws Exception {
        TestContext context = start(database.dataSource());
        KeyQueues queues = context.queues();
        KeyEntries trying = TestContext.calls(context).admit(context.getBean(DataSource.class), forShare(KEY), null);
        trying.connected(false);
        Blocking.run(() -> way.share(context, () -> {})).get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);

        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        CompletableFuture<Void> sharing = Blocking.run(() -> way.share(context, () -> {
            inside.countDown();
            assertThat(isOver(leave)).isTrue();
        }));
        assertThat(inside.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        trying.close();
        assertNotAcquired(() -> Way.TEMPLATE.run(context, LockWait.NO_WAIT, () -> {}))
                .hasMessageContaining("admission queue");
        leave.countDown();
        TestDatabase.result(sharing);
    }

    private static boolean isOver(CountDownLatch latch) {
        try {
            return latch.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static DataSource lazy(DataSource target) {
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(target);
        lazy.setDefaultAutoCommit(true);
        lazy.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return lazy;
    }

    private TestContext start(DataSource dataSource) {
        return Contexts.start(database, dataSource, Accounts.class);
    }
}
