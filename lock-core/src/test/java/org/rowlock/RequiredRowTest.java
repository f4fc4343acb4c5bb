package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.LockStrategy.ADVISORY;
import static org.rowlock.LockStrategy.BOTH;
import static org.rowlock.LockStrategy.ROW;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;

import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Doors;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Held;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/** What is told of rows that do not exist. */
class RequiredRowTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(3);

    @EveryStrategy.WithRow
    void aRowThatIsRequiredAndAbsentIsAnErrorThatLeavesTheTransactionUsable(LockStrategy strategy, Session alice)
            throws Exception {
        for (Session.Body<?> call :
                Doors.of(locks(strategy), row("account", 9), row("account", 1)).values()) {
            assertThatThrownBy(() -> alice.run(call))
                    .isInstanceOf(RowAbsentException.class)
                    .hasMessageContainingAll("account[9]", "no row", "Insert it first");
            assertThat(Held.of(lock(alice, locks(strategy), forUpdate(row("account", 1)))))
                    .isEqualTo(strategy == ROW ? Held.ROW_LOCKED : Held.KEY_AND_ROW_LOCKED);
            alice.rollback();
        }
    }

    /** Row security has policies of its own for SELECT and for UPDATE, and FOR UPDATE needs both. */
    @EveryStrategy.WithRow
    void aRowThatRowSecurityShowsAndDoesNotLetLockIsNotCalledAbsent(LockStrategy strategy, Session alice)
            throws Exception {
        database.execute(
                "alter table account enable row level security",
                "create policy seen on account for select using (true)",
                "create policy changed on account for update using (id <> 1)");
        alice.execute("set local role " + database.role("select, update on account"));
        for (boolean query : new boolean[] {false, true}) {
            for (int id : new int[] {1, 9}) {
                LockRequest request = forUpdate(row("account", id));
                assertThatThrownBy(() -> alice.run(c -> query
                                ? locks(strategy).in(c).lockAndRead(request, "select 1", r -> 1)
                                : locks(strategy).in(c).lock(request)))
                        .isInstanceOf(id == 1 ? LockTargetException.class : RowAbsentException.class)
                        .hasMessageContainingAll(
                                "account[" + id + "]", id == 1 ? "policies for UPDATE" : "Insert it first");
                alice.execute("select 1");
            }
        }
    }

    /** Rowlock looks once more for the absent row, and this look fails as the lock itself would. */
    @EveryStrategy.WithRow
    void aLookForTheAbsentRowThatTimesOutIsToldAsACancelledLock(LockStrategy strategy, Session alice) throws Exception {
        database.execute(
                "alter table account enable row level security",
                "create policy seen on account for select using (pg_sleep(600) is not null)",
                "create policy changed on account for update using (false)");
        alice.execute("set local role " + database.role("select, update on account"));
        alice.execute("set local statement_timeout = '2s'");
        assertThatThrownBy(() -> lock(alice, locks(strategy), forUpdate(row("account", 1))))
                .isInstanceOf(LockCanceledException.class)
                .hasMessageContaining("roll back");
    }

    /** Columns that are given need not be unique, and a table that others inherit from has their rows too. */
    @EveryStrategy.WithRow
    void anIdThatFindsSeveralRowsDoesNotStandForOneThatFindsNone(LockStrategy strategy, Session alice)
            throws Exception {
        database.execute("create table given(id int primary key, k int)");
        database.execute("insert into given values (1, 1), (2, 1), (3, 3)");
        database.execute("create table parent(id int primary key)");
        database.execute("create table child(primary key (id)) inherits (parent)");
        database.execute("insert into parent values (1), (3)");
        database.execute("insert into child values (1)");
        RowLocks locks =
                LockAccess.builder().strategy(strategy).idColumns("given", "k").build();
        for (LockWait wait : Waits.ALL) {
            for (String table : List.of("given", "parent")) {
                LockResult result = lock(
                        alice,
                        locks,
                        Requests.waiting(forUpdate(LockKey.rows(table, List.of(1, 2, 3))), wait)
                                .allowAbsent());
                assertThat(result.absentRows()).containsExactly(row(table, 2));
                alice.rollback();
            }
        }
    }

    @Test
    void nothingLooksForTheRowOfAKeyAlone(Session alice) throws Exception {
        for (LockKey key : List.of(row("account", 9), LockKey.name("n"), LockKey.number(1))) {
            LockStrategy strategy = key instanceof LockKey.Row ? ADVISORY : BOTH;
            assertThat(Held.of(lock(alice, locks(strategy), forUpdate(key)))).isEqualTo(Held.KEY_LOCKED);
            alice.rollback();
        }
    }

    /** Work never runs without a lock, unless its caller says so. */
    @EveryStrategy.WithRow
    void nothingIsDoneUnderALockWhoseRowIsRequiredAndAbsent(RowLocks locks) throws Exception {
        ObservedDataSource dataSource = new ObservedDataSource(database.dataSource());
        LockKey absent = row("account", 9);
        String insert = "insert into account values (9)";
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> locks.on(dataSource).lock(forUpdate(absent)).inTransaction(tx -> fail("the work has run")),
                () -> locks.on(dataSource)
                        .lock(forUpdate(absent))
                        .read("select 1", found -> 1)
                        .inTransaction(tx -> fail("it has run")),
                () -> locks.on(dataSource)
                        .lock(forUpdate(List.of(row("account", 1), absent)).noWait())
                        .inTransaction(tx -> fail("ran")),
                () -> locks.on(dataSource).lock(forUpdate(absent)).execute(insert))) {
            assertThatThrownBy(call)
                    .isInstanceOf(RowAbsentException.class)
                    .hasMessageContainingAll("account[9]", "no row");
        }
        assertThat(dataSource.open()).isZero();
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
        assertThat(database.query("select count(*) from account")).isEqualTo("3");
        locks.on(dataSource).lock(forUpdate(row("account", 1))).execute(insert);
        int result = locks.on(dataSource).lock(forUpdate(absent).allowAbsent()).inTransaction(tx -> 7);
        assertThat(result).isEqualTo(7);
    }

    /** The lock statement itself finds fewer rows than asked for, of one id column or several, and in every wait. */
    @EveryStrategy.WithRow
    void writesWithTheCommitAreNotStoredWhereAnyRowIsAbsent(LockStrategy strategy) throws Exception {
        database.execute(
                "create table seat(line int, place int, primary key (line, place))",
                "insert into seat values (7, 1), (7, 2)");
        RowLocks locks = locks(strategy).on(database.dataSource());
        for (LockWait wait : Waits.ALL) {
            for (List<LockKey> present : List.<List<LockKey>>of(
                    List.of(row("account", 1)),
                    List.of(row("account", 1), row("account", 2)),
                    List.of(row("seat", 7, 1)),
                    List.of(row("seat", 7, 1), row("seat", 7, 2), row("account", 3)))) {
                for (LockKey absent : List.of(row("account", 9), row("seat", 7, 9))) {
                    List<LockKey> keys = new ArrayList<>(present);
                    keys.add(absent);
                    assertThatThrownBy(() -> locks.lock(Requests.waiting(forUpdate(keys), wait))
                                    .execute("delete from account where id = 1"))
                            .isInstanceOf(RowAbsentException.class)
                            .hasMessageContaining("there is no row " + absent + ".");
                }
                locks.lock(Requests.waiting(forUpdate(present), wait))
                        .execute("update account set id = id where id = 1");
            }
        }
        assertThat(database.query("select count(*) from account")).isEqualTo("3");
    }

    @EveryStrategy
    void anAttemptTellsATakenLockFromAnAbsentRow(LockStrategy strategy, Session alice, Session bob) throws Exception {
        lock(alice, locks(strategy), forUpdate(row("account", 1)));

        assertThat(Held.of(bob.run(c -> locks(strategy).in(c).tryLock(forUpdate(row("account", 1))))))
                .isEqualTo(Held.TAKEN);
        assertThat(Held.of(bob.run(c -> locks(strategy)
                        .in(c)
                        .tryLock(forUpdate(row("account", 9)).allowAbsent()))))
                .isEqualTo(
                        switch (strategy) {
                            case ROW -> Held.NOTHING_LOCKED_ROW_ABSENT;
                            case BOTH -> Held.KEY_LOCKED_ROW_ABSENT;
                            case ADVISORY -> Held.KEY_LOCKED;
                        });
        assertThat(bob.run(c -> locks(strategy).in(c).tryLock(forUpdate(row("account", 2))))
                        .isHeld())
                .isTrue();
    }
}
