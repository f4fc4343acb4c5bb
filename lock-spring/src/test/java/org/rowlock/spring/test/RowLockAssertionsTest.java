package org.rowlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.test.RowLockAssertions.assertLocked;

import java.util.List;
import java.util.UUID;
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
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Checks that the assertions are right for every strategy. */
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

        @Transactional(propagation = Propagation.NESTED)
        public void inNested(@RowLock("orders") long id, Runnable work) {
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
        return context.getBean(Orders.class);
    }

    @ParameterizedTest
    @EnumSource
    void holdsForTheTransactionThatHasIt(LockStrategy strategy) {
        boolean[] ran = new boolean[1];
        start(strategy).ship(42, () -> {
            assertLocked("orders", 42);
            assertLocked("orders", "42");
            assertLocked(KEY);
            assertThatThrownBy(() -> assertLocked("orders", 1))
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("Expected orders[1] to be locked by this thread's transaction, but Rowlock has not"
                            + " locked the key in this transaction.");
            ran[0] = true;
        });
        assertThat(ran[0]).isTrue();
    }

    @Test
    void doesNotHoldForTheLockOfAnotherTransaction() throws Exception {
        Orders orders = start(LockStrategy.BOTH);
        Session alice = database.session("alice");
        alice.run(connection -> context.getBean(RowLocks.class).in(connection).lock(forUpdate(KEY)));
        orders.ship(1, RowLockAssertionsTest::assertNotLockedHere);
        alice.rollback();
    }

    private static void assertNotLockedHere() {
        assertThatThrownBy(() -> assertLocked(KEY)).isInstanceOf(AssertionError.class);
    }

    @Test
    void anInnerTransactionDoesNotHaveTheLockOfTheOuter() {
        Orders orders = start(LockStrategy.BOTH);
        orders.ship(42, () -> {
            orders.inNew(RowLockAssertionsTest::assertNotLockedHere);
            assertLocked("orders", 42);
        });
    }

    @Test
    void aLockBehindASavepointIsGoneAfterItsRollback() {
        Orders orders = start(LockStrategy.ROW);
        orders.ship(1, () -> {
            assertThatThrownBy(() -> orders.inNested(42, () -> {
                        assertLocked(KEY);
                        throw new IllegalStateException("rolls back");
                    }))
                    .hasMessage("rolls back");
            assertNotLockedHere();
            assertLocked("orders", 1);
        });
    }

    @Test
    void aSharedLockCounts() {
        start(LockStrategy.ROW).read(42, () -> assertLocked("orders", 42));
    }

    @Test
    void idsOfSeveralColumnsAndThoseThatAreNoNumbers() {
        Orders orders = start(LockStrategy.ROW);
        UUID ticket = new UUID(4, 2);
        orders.line(42, 1, () -> assertLocked("line", List.of(42, 1)));
        orders.ticket(ticket, () -> assertLocked("ticket", ticket));
    }

    @Test
    void theLockLastsForTheCallersTransaction() {
        Orders orders = start(LockStrategy.ROW);
        context.inTransaction(status -> {
            assertNotLockedHere();
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
        start(LockStrategy.ROW)
                .shipIfThere(7, () -> assertThatThrownBy(() -> assertLocked("orders", 7))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageStartingWith("Expected orders[7]"));
    }
}
