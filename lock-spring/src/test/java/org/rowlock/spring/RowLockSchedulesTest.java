package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;
import static org.rowlock.spring.RowLockTests.assertNotAcquired;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.Probing;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks schedules of a proxied bean and other sessions. */
@Tag("long")
class RowLockSchedulesTest {
    private static final LockKey ONE = LockKey.row("account", 1);

    @RegisterExtension
    final TestDatabase database =
            TestDatabase.accounts(3, "create table audit(id int primary key)", "insert into audit values (1)");

    static class Service extends Probing {
        @Transactional
        public int addOne(@RowLock("account") int id) {
            return add(id);
        }

        @Transactional(isolation = Isolation.REPEATABLE_READ)
        public int addOneRepeatable(@RowLock("account") int id) {
            return add(id);
        }

        @Transactional(isolation = Isolation.SERIALIZABLE)
        public int addOneSerializable(@RowLock("account") int id) {
            return add(id);
        }

        @Transactional
        public int at(@RowLock(value = "account", lockWait = "nowait") int id) {
            return add(id);
        }

        @Transactional(timeout = 1)
        public int withinASecond(@RowLock("account") int id) {
            return add(id);
        }

        @Transactional
        public int all(@RowLock("account") List<Integer> ids) {
            return probe.locks();
        }

        @Transactional
        @RowLock(table = "account", id = "#first")
        @RowLock(table = "account", id = "#rest")
        public int repeated(int first, int[] rest) {
            return probe.locks();
        }

        @Transactional
        @RowLock(table = "audit", id = "1")
        @RowLock(table = "account", id = "1", mode = RowLockMode.FOR_SHARE)
        public int severalModes() {
            return probe.locks();
        }

        /** Reads the balance, adds one in Java, and writes the balance, so that a lost update is visible. */
        private int add(int id) {
            int balance = probe.balance(id) + 1;
            probe.setBalance(id, balance);
            return balance;
        }
    }

    private TestContext start(LockStrategy strategy) {
        return Contexts.start(database, strategy, Service.class);
    }

    /** Returns a session that has locked and changed the row, as another application would. */
    private Session other(LockStrategy strategy) throws Exception {
        Session other = RowLockTests.holder(database, strategy, ONE);
        other.execute("update account set balance = 100 where id = 1");
        return other;
    }

    @ParameterizedTest
    @EnumSource
    void waitsForTheHolderAndReadsWhatItCommitted(LockStrategy strategy) throws Exception {
        Service service = start(strategy).getBean(Service.class);
        Session other = other(strategy);
        CompletableFuture<Integer> added = Threads.start(() -> service.addOne(1));
        Blocking.awaitWaiterBehind(database.dataSource(), other.pid());
        other.commit();
        assertThat(TestDatabase.result(added)).isEqualTo(101);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("101");
    }

    /** ROW and BOTH raise 40001 for a row that has changed since the snapshot, as FOR UPDATE does. */
    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void inStricterLevelsARowThatHasChangedFailsAsForUpdateDoes(LockStrategy strategy) throws Exception {
        Service service = start(strategy).getBean(Service.class);
        for (IntUnaryOperator addOne :
                List.<IntUnaryOperator>of(service::addOneRepeatable, service::addOneSerializable)) {
            Session other = other(strategy);
            CompletableFuture<Integer> added = Threads.start(() -> addOne.applyAsInt(1));
            Blocking.awaitWaiterBehind(database.dataSource(), other.pid());
            other.commit();
            assertThatThrownBy(() -> TestDatabase.result(added)).hasCauseInstanceOf(CannotAcquireLockException.class);
        }
    }

    @Test
    void inStricterLevelsKeysAloneAreRefused() throws Exception {
        Service service = start(LockStrategy.ADVISORY).getBean(Service.class);
        assertThatThrownBy(() -> service.addOneRepeatable(1)).hasMessageContaining("ROW or BOTH");
        assertThatThrownBy(() -> service.addOneSerializable(1)).hasMessageContaining("ROW or BOTH");
    }

    @ParameterizedTest
    @EnumSource
    void noWaitAndTimeoutAreSpringsExceptions(LockStrategy strategy) throws Exception {
        Service service = start(strategy).getBean(Service.class);
        Session other = other(strategy);
        for (Consumer<Service> call : List.<Consumer<Service>>of(s -> s.at(1), s -> s.withinASecond(1))) {
            assertNotAcquired(() -> call.accept(service))
                    .hasCauseInstanceOf(LockNotAvailableException.class)
                    .hasMessageContaining("account[1]");
        }
        other.rollback();
        assertThat(service.at(1)).isOne();
    }

    @ParameterizedTest
    @EnumSource(names = {"BOTH", "ADVISORY"})
    void allRowsOfACallAreLockedTogether(LockStrategy strategy) {
        Service service = start(strategy).getBean(Service.class);
        assertThat(service.all(List.of(3, 1, 2, 1))).isEqualTo(3);
        assertThat(service.all(List.of())).isZero();
        assertThat(service.repeated(1, new int[] {3, 2})).isEqualTo(3);
    }

    @Test
    void deadlockIsAPessimisticLockingFailure() throws Exception {
        var context = start(LockStrategy.ADVISORY);
        Service service = context.getBean(Service.class);
        TransactionTemplate transactions = context.transactions();
        RowLocks locks = LockAccess.builder().strategy(LockStrategy.ADVISORY).build();
        // The other session checks for deadlocks much later than the bean's session, so the server chooses the bean
        // as the victim.
        Session other = database.session("other");
        other.execute("set deadlock_timeout = '1min'");
        other.run(connection -> locks.in(connection).lock(forUpdate(LockKey.row("account", 2))));
        CompletableFuture<Integer> first = new CompletableFuture<>();
        CompletableFuture<Object> bean = Threads.start(() -> transactions.execute(status -> {
            service.addOne(1);
            first.complete(1);
            return service.addOne(2);
        }));
        TestDatabase.result(first);
        Step<?> others = other.start(connection -> locks.in(connection).lock(forUpdate(ONE)));
        assertThatThrownBy(() -> TestDatabase.result(bean))
                .hasCauseInstanceOf(PessimisticLockingFailureException.class)
                .hasRootCauseInstanceOf(java.sql.SQLException.class)
                .cause()
                .hasCauseInstanceOf(LockDeadlockException.class);
        others.get();
        other.rollback();
    }

    /** All calls lock in one order. If exclusive locks came first, two calls could deadlock. */
    @ParameterizedTest
    @EnumSource(LockStrategy.class)
    void severalModesAreLockedInOneOrder(LockStrategy strategy) throws Exception {
        TestContext context = start(strategy);
        Service service = context.getBean(Service.class);
        RowLocks locks = context.getBean(RowLocks.class);
        LockKey audit = LockKey.row("audit", 1);
        Session other = other(strategy);
        Session newcomer = database.session("newcomer");
        CompletableFuture<Integer> call = Threads.start(service::severalModes);
        Blocking.awaitWaiterBehind(database.dataSource(), other.pid());

        assertThat((boolean) newcomer.run(connection ->
                        locks.in(connection).tryLock(forUpdate(audit)).isHeld()))
                .isTrue();
        newcomer.rollback();
        other.rollback();

        assertThat(TestDatabase.result(call)).isEqualTo(strategy == LockStrategy.ROW ? 0 : 2);
    }

    @Test
    void readOnlyTransactionOfTheCallerIsRefused() {
        var context = start(LockStrategy.ADVISORY);
        Service service = context.getBean(Service.class);
        TransactionTemplate readOnly = context.transactions();
        readOnly.setReadOnly(true);
        assertMisuse(() -> readOnly.execute(status -> service.addOne(1))).hasMessageContaining("read-only");
    }

    @ParameterizedTest
    @EnumSource
    void noUpdateIsLost(LockStrategy strategy) throws Exception {
        int threads = 12;
        int calls = 20;
        var context = start(strategy);
        Service service = context.getBean(Service.class);
        Threads.run(threads, thread -> {
            for (int call = 0; call < calls; call++) {
                service.addOne(1 + call % 2);
            }
        });
        assertThat(database.query("select string_agg(balance::text, ',' order by id) from account where id < 3"))
                .isEqualTo(threads * calls / 2 + "," + threads * calls / 2);
        assertThat(context.queues().keysInUse()).isZero();
    }
}
