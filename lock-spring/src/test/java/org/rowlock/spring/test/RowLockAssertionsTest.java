package org.rowlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.test.RowLockAssertions.assertLocked;
import static org.rowlock.spring.test.RowLockAssertions.assertNotLocked;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.spring.Contexts;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.TestContext;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Checks that the assertions are right for every strategy, and change no lock. */
@Tag("long")
class RowLockAssertionsTest {
    private static final LockKey KEY = LockKey.row("orders", 42);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key)",
            "insert into orders values (1), (42)",
            "create table line (order_id bigint, number int, primary key (order_id, number))",
            "insert into line values (42, 1)",
            "create table ticket (id uuid primary key)",
            "insert into ticket values ('00000000-0000-0004-0000-000000000002')");

    private TestContext context;

    static class Orders {
        @Transactional
        public void shipIfThere(@RowLock(value = "orders", required = false) long id, Runnable work) {
            work.run();
        }

        @Transactional
        public void ship(@RowLock("orders") long id, Runnable work) {
            work.run();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void inNew(Runnable work) {
            work.run();
        }

        @Transactional
        public void read(@RowLock(value = "orders", mode = RowLockMode.FOR_SHARE) long id, Runnable work) {
            work.run();
        }

        @Transactional
        @RowLock(
                table = "line",
                id = {"#order", "#number"})
        public void line(long order, int number, Runnable work) {
            work.run();
        }

        @Transactional
        public void ticket(@RowLock("ticket") UUID id, Runnable work) {
            work.run();
        }
    }

    private Orders start(LockStrategy strategy) {
        context = Contexts.start(database, strategy, Orders.class);
        RowLockTestListener.begin(context);
        return context.getBean(Orders.class);
    }

    @AfterEach
    void close() {
        if (context != null) {
            RowLockTestListener.end(context);
        }
    }

    @ParameterizedTest
    @EnumSource
    void holdsForTheTransactionThatHasIt(LockStrategy strategy) {
        Orders orders = start(strategy);
        boolean[] ran = new boolean[1];
        orders.ship(42, () -> {
            assertLocked("orders", 42);
            assertLocked("orders", "42");
            assertLocked(KEY);
            assertNotLocked("orders", 1);
            assertThatThrownBy(() -> assertLocked("orders", 1))
                    .isInstanceOf(AssertionError.class)
                    .hasMessage(
                            "Expected orders[1] to be locked by this thread's transaction, but no transaction has locked it.");
            assertThatThrownBy(() -> assertNotLocked("orders", 42))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("Expected orders[42] not to be locked, but ")
                    .hasMessageContaining("has locked");
            ran[0] = true;
        });
        assertThat(ran[0]).isTrue();
        assertNotLocked("orders", 42);
    }

    @ParameterizedTest
    @EnumSource
    void doesNotHoldForTheLockOfAnotherTransaction(LockStrategy strategy) throws Exception {
        Orders orders = start(strategy);
        Session alice = database.session("alice");
        alice.run(connection -> context.getBean(RowLocks.class).in(connection).lock(forUpdate(KEY)));
        orders.ship(
                1,
                () -> assertThatThrownBy(() -> assertLocked("orders", 42))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageStartingWith("Expected orders[42] to be locked by this thread's transaction, but ")
                        .hasMessageContaining(
                                strategy == LockStrategy.ROW
                                        ? "another transaction"
                                        : "server process " + alice.pid()));
        alice.rollback();
    }

    @ParameterizedTest
    @EnumSource
    void anInnerTransactionDoesNotHaveTheLockOfTheOuter(LockStrategy strategy) {
        Orders orders = start(strategy);
        orders.ship(42, () -> {
            orders.inNew(
                    () -> assertThatThrownBy(() -> assertLocked("orders", 42)).isInstanceOf(AssertionError.class));
            assertLocked("orders", 42);
        });
    }

    /** If the probe had made the shared lock exclusive, another session could not share the row now. */
    @ParameterizedTest
    @EnumSource
    void aSharedLockCountsAndStaysShared(LockStrategy strategy) throws Exception {
        Orders orders = start(strategy);
        Session alice = database.session("alice");
        orders.read(42, () -> {
            assertLocked("orders", 42);
            assertThatThrownBy(() -> assertNotLocked("orders", 42)).isInstanceOf(AssertionError.class);
            assertThat(isShareable(alice)).isTrue();
        });
    }

    private boolean isShareable(Session other) {
        try {
            boolean isLocked = other.run(connection -> context.getBean(RowLocks.class)
                    .in(connection)
                    .tryLock(forShare(KEY))
                    .isHeld());
            other.rollback();
            return isLocked;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BOTH", "ADVISORY"})
    void aLockThatOthersShareIsThisTransactionsToo(LockStrategy strategy) throws Exception {
        Orders orders = start(strategy);
        Session alice = database.session("alice");
        alice.run(connection -> context.getBean(RowLocks.class).in(connection).lock(forShare(KEY)));
        orders.read(42, () -> assertLocked("orders", 42));
        alice.rollback();
    }

    @ParameterizedTest
    @EnumSource
    void idsOfSeveralColumnsAndThoseThatAreNoNumbers(LockStrategy strategy) {
        Orders orders = start(strategy);
        UUID ticket = new UUID(4, 2);
        orders.line(42, 1, () -> assertLocked("line", List.of(42, 1)));
        orders.ticket(ticket, () -> assertLocked("ticket", ticket));
        assertNotLocked("line", List.of(42, 1));
        assertNotLocked("ticket", ticket);
    }

    @ParameterizedTest
    @EnumSource
    void theTransactionGoesOnAfterAnAssertion(LockStrategy strategy) {
        Orders orders = start(strategy);
        context.inTransaction(status -> {
            assertThatThrownBy(() -> assertLocked("orders", 42)).isInstanceOf(AssertionError.class);
            assertNotLocked("orders", 42);
            orders.ship(42, () -> assertLocked("orders", 42));
            assertLocked("orders", 42);
        });
    }

    @Test
    void withoutATransactionNothingIsLocked() {
        start(LockStrategy.BOTH);
        assertThatThrownBy(() -> assertLocked("orders", 42))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("but the thread", "has none");
    }

    /** FOR UPDATE of a row that does not exist locks nothing. */
    @Test
    void withStrategyRowARowThatDoesNotExistIsNotLocked() {
        Orders orders = start(LockStrategy.ROW);
        orders.shipIfThere(
                7,
                () -> assertThatThrownBy(() -> assertLocked("orders", 7))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("there is no such row"));
    }

    @Test
    void outsideOfATestItSaysWhatIsMissing() {
        Orders orders = start(LockStrategy.BOTH);
        RowLockTestListener.end(context);
        assertThatThrownBy(() -> orders.ship(42, () -> assertLocked("orders", 42)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("No Spring test is running");
        assertThatThrownBy(() -> assertNotLocked("orders", 42))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("No Spring test is running");
    }

    @Test
    void withoutRowLocksItSaysWhatIsMissing() {
        try (var without = new AnnotationConfigApplicationContext()) {
            without.refresh();
            RowLockTestListener.begin(without);
            assertThatThrownBy(() -> assertNotLocked(new DriverManagerDataSource(), LockKey.row("orders", 42)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("There are no row locks in the Spring context", "@EnableRowLocks");
            start(LockStrategy.BOTH);
            assertThatThrownBy(() -> assertNotLocked("orders", 42))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Tests with several contexts run at the same time");
            RowLockTestListener.end(without);
            assertNotLocked("orders", 42);
        }
    }

    @Test
    void aTableThatDoesNotExistIsNamed() {
        start(LockStrategy.BOTH);
        assertThatThrownBy(() -> assertNotLocked("ordres", 42))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ordres");
    }
}
