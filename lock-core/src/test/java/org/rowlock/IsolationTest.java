package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.Refusals.assertRefusal;
import static org.rowlock.testing.Refusals.retryable;
import static org.rowlock.testing.Refusals.state;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/** REPEATABLE READ and SERIALIZABLE: keys alone are refused, and a row lock behind the key leaves it to the server. */
class IsolationTest {
    private static final LockKey KEY = row("account", 1);
    private static final List<LockKey> KEYS = LockKey.rows("account", List.of(3, 1, 2));
    private static final List<LockWait> WAITS =
            List.of(LockWait.FOREVER, LockWait.NO_WAIT, LockWait.atMost(Duration.ofMillis(20)));
    private static final RowMapper<Long> BALANCE = row -> row.getLong(1);
    private static final String READ = "select balance from account where id = 1";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(9);

    /** The levels whose snapshot is the transaction's. */
    enum Isolation {
        REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ, "repeatable read"),
        SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE, "serializable");

        final int level;
        final String sql;

        Isolation(int level, String sql) {
            this.level = level;
            this.sql = sql;
        }
    }

    private Session session(String name, Isolation isolation) throws SQLException {
        Session session = database.session(name);
        session.connection().setTransactionIsolation(isolation.level);
        return session;
    }

    /** Nothing is locked, and the transaction is aborted as after any failed lock: what follows does not commit. */
    private static void assertAborted(Session session, Isolation isolation) throws Exception {
        assertThat(session.advisoryLocks()).isZero();
        assertThatThrownBy(() -> session.execute("insert into account values (77, 0)"))
                .satisfies(sqlState("25P02"));
        session.rollback();
        assertAsBefore(session, isolation);
    }

    /** Nothing is locked, the server has no transaction open, and the next one is of the level that the caller set. */
    private static void assertAsBefore(Session session, Isolation isolation) throws Exception {
        assertThat(session.advisoryLocks()).isZero();
        session.run(c -> {
            assertThat(c.unwrap(BaseConnection.class).getTransactionState()).isEqualTo(TransactionState.IDLE);
            assertThat(TestDatabase.query(c, "show transaction_isolation")).isEqualTo(isolation.sql);
            assertThat(TestDatabase.query(c, "show lock_timeout")).isEqualTo("0");
            c.rollback();
            assertThat(TestDatabase.query(c, "show transaction_isolation")).isEqualTo(isolation.sql);
            c.rollback();
            return null;
        });
    }

    /** The advisory lock is free, and the row lock behind it is not. */
    @ParameterizedTest
    @EnumSource
    void rowLockThatIsNotAvailableLetsGoOfTheKey(Isolation isolation, Session plain) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        plain.execute("select 1 from account where id = 1 for update");
        for (LockWait wait : Waits.SHORT) {
            Session alice = session("alice", isolation);
            assertThatThrownBy(() -> lock(alice, locks, Requests.waiting(forUpdate(KEY), wait)))
                    .isInstanceOf(LockNotAvailableException.class);
            assertAsBefore(alice, isolation);
            alice.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRowThatChangedDuringTheWaitForItIsASerializationFailure(Isolation isolation, Session plain) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        plain.execute("update account set balance = 5 where id = 1");
        Session alice = session("alice", isolation);
        Step<LockResult> step = startLock(alice, locks, forUpdate(KEY)).awaitBlockedBy(plain);
        plain.commit();
        assertThat(step.failure()).isInstanceOf(LockSerializationException.class);
        assertAborted(alice, isolation);
        List<Long> fresh = alice.run(c -> locks.in(c).lockAndRead(forUpdate(KEY), READ, BALANCE));
        assertThat(fresh).containsExactly(5L);
    }

    /** Of a holder without the key, as with ROW: what it wrote beside the row is not seen. */
    @ParameterizedTest
    @EnumSource
    void behindARowLockAloneOtherRowsAreReadOld(Isolation isolation, Session plain) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        plain.execute("select from account where id = 1 for update");
        plain.execute("update account set balance = 5 where id = 2");
        Session alice = session("alice", isolation);
        Step<LockResult> step = startLock(alice, locks, forUpdate(KEY)).awaitBlockedBy(plain);
        plain.commit();
        assertThat(step.get().isHeld()).isTrue();
        alice.run(c -> assertThat(TestDatabase.query(c, "select balance from account where id = 2"))
                .isEqualTo("0"));
    }

    private static List<Session.Body<?>> ways(RowLocks locks, LockWait wait) {
        return List.of(
                c -> locks.in(c).lock(Requests.waiting(forUpdate(KEY), wait)),
                c -> locks.in(c).lock(Requests.waiting(forShare(KEY), wait)),
                c -> locks.in(c).lock(Requests.waiting(forUpdate(KEYS), wait)),
                c -> locks.in(c).lock(Requests.waiting(forUpdate(LockKey.name("nightly")), wait)),
                c -> locks.in(c).lock(Requests.waiting(forUpdate(List.of(KEY, LockKey.number(7))), wait)),
                c -> locks.in(c).lockAndRead(Requests.waiting(forUpdate(KEY), wait), READ, BALANCE));
    }

    /** Where statements follow in the round trip the refusal must raise, unless a savepoint can undo it. */
    @ParameterizedTest
    @EnumSource
    void keysAloneAreRefusedInEveryForm(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        for (boolean begun : List.of(false, true)) {
            for (LockWait wait : WAITS) {
                for (Session.Body<?> body : ways(locks, wait)) {
                    Session alice = session("alice", isolation);
                    if (begun) {
                        alice.execute("select count(*) from account");
                    }
                    assertRefused(alice, body);
                    alice.rollback();
                    assertAsBefore(alice, isolation);
                    alice.close();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionThatHasBegunIsUsableAfterTheRefusal(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        Session alice = session("alice", isolation);
        alice.execute("update account set balance = 9 where id = 9");
        for (LockWait wait : WAITS) {
            assertRefused(alice, c -> locks.in(c).lock(Requests.waiting(forUpdate(KEY), wait)));
            assertRefused(alice, c -> locks.in(c).lock(Requests.waiting(forUpdate(KEYS), wait)));
        }
        alice.commit();
        assertThat(database.query("select balance from account where id = 9")).isEqualTo("9");
    }

    /** The names among the keys have no row that the server could compare. */
    @Test
    void aNameBesideARowIsRefusedWithBothToo() throws Exception {
        Session alice = session("alice", Isolation.REPEATABLE_READ);
        assertRefused(
                alice, c -> locks(LockStrategy.BOTH).in(c).lock(forUpdate(List.of(KEY, LockKey.name("nightly")))));
    }

    @ParameterizedTest
    @EnumSource
    void theLevelMayComeFromTheDefaultsOfTheSession(Isolation isolation, Session alice) throws Exception {
        alice.execute("set default_transaction_isolation = '" + isolation.sql + "'");
        alice.commit();
        assertRefused(alice, c -> locks(LockStrategy.ADVISORY).in(c).lock(forUpdate(KEY)));
        alice.rollback();
        lock(alice, locks(LockStrategy.BOTH), forUpdate(KEY));
        alice.run(c ->
                assertThat(TestDatabase.query(c, "show transaction_isolation")).isEqualTo(isolation.sql));
    }

    /**
     * A job that was finished since the snapshot, whether its worker held the row or the key alone: the claim takes the
     * lock of the row too, and so the server compares it.
     */
    @ParameterizedTest
    @EnumSource
    void aClaimRunsNoFinishedJobAgain(Isolation isolation) throws Exception {
        Claim ready = Claim.from("account").where("balance = 0").orderBy("id").limit(2);
        RowMapper<Long> id = row -> row.getLong("id");
        for (LockStrategy strategy : LockStrategy.values()) {
            RowLocks locks = locks(strategy);
            Session alice = session("alice", isolation);
            Session bob = session("bob", isolation);
            alice.execute("select count(*) from account");
            assertThat(bob.<List<Long>>run(c -> locks.in(c).claim(ready, id)))
                    .as(strategy.name())
                    .containsExactly(1L, 2L);
            assertThat(alice.<List<Long>>run(c -> locks.in(c).claim(ready, id)))
                    .as(strategy.name())
                    .containsExactly(3L, 4L);
            bob.execute("update account set balance = 1 where id in (1, 2)");
            bob.commit();
            assertThatThrownBy(() -> alice.run(c -> locks.in(c).claim(ready, id)))
                    .as(strategy.name())
                    .isInstanceOf(LockSerializationException.class)
                    .satisfies(retryable(true));
            assertAborted(alice, isolation);
            database.execute("update account set balance = 0");
            alice.close();
            bob.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClaimRunsNoJobAgainWhoseKeyWasHeld(Isolation isolation) throws Exception {
        Claim ready = Claim.from("account").where("balance = 0").orderBy("id");
        RowMapper<Long> id = row -> row.getLong("id");
        for (LockStrategy strategy : List.of(LockStrategy.BOTH, LockStrategy.ADVISORY)) {
            Session alice = session("alice", isolation);
            Session worker = database.session("worker");
            lock(worker, locks(LockStrategy.ADVISORY), forUpdate(KEY));
            assertThat(alice.<List<Long>>run(c -> locks(strategy).in(c).claim(ready, id)))
                    .as(strategy.name())
                    .containsExactly(2L);
            alice.rollback();
            alice.execute("select count(*) from account");
            worker.execute("update account set balance = 1 where id = 1");
            worker.commit();
            assertThatThrownBy(() -> alice.run(c -> locks(strategy).in(c).claim(ready, id)))
                    .as(strategy.name())
                    .isInstanceOf(LockSerializationException.class);
            assertAborted(alice, isolation);
            database.execute("update account set balance = 0");
            alice.close();
            worker.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothTakesTheKeyAndThenTheRow(Isolation isolation, Session keyHolder, Session rowHolder) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        Session alice = session("alice", isolation);
        lock(keyHolder, locks(LockStrategy.ADVISORY), forUpdate(KEY));
        rowHolder.execute("select from account where id = 1 for update");
        Step<List<Long>> step = alice.start(c -> locks.in(c).lockAndRead(forUpdate(KEY), READ, BALANCE))
                .awaitBlockedBy(keyHolder);
        keyHolder.commit();
        step.awaitBlockedBy(rowHolder);
        rowHolder.commit();
        assertThat(step.get()).containsExactly(0L);
        assertThat(alice.advisoryLocks()).isOne();
        alice.commit();
        assertAsBefore(alice, isolation);
    }

    /** A holder of the key alone writes the row: the wait for the key took the snapshot, and the server compares. */
    @ParameterizedTest
    @EnumSource
    void aRowThatChangedDuringTheWaitForItsKeyIsASerializationFailure(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks.in(c).lock(forUpdate(KEY)),
                c -> locks.in(c).lock(forUpdate(KEYS)),
                c -> locks.in(c).lock(forShare(KEY).atMost(TestDatabase.DEADLINE)),
                c -> locks.in(c).lockAndRead(forUpdate(KEY), READ, BALANCE))) {
            Session holder = database.session("holder");
            Session alice = session("alice", isolation);
            lock(holder, locks(LockStrategy.ADVISORY), forUpdate(KEY));
            Step<?> step = alice.start(body).awaitBlockedBy(holder);
            holder.execute("update account set balance = balance + 1 where id = 1");
            holder.commit();
            assertThat(step.failure())
                    .isInstanceOf(LockSerializationException.class)
                    .satisfies(retryable(true));
            assertAborted(alice, isolation);
            holder.close();
            alice.close();
        }
    }

    /** What the snapshot lacks may have been inserted since, so it is never called absent; nothing stays locked. */
    @ParameterizedTest
    @EnumSource
    void anAbsentRowIsRefused(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        for (boolean begun : List.of(false, true)) {
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks.in(c).lock(forUpdate(row("account", 50))),
                    c -> locks.in(c).lock(forUpdate(LockKey.rows("account", List.of(1, 50)))),
                    c -> locks.in(c).lockAndRead(forUpdate(row("account", 50)), READ, BALANCE))) {
                Session alice = session("alice", isolation);
                if (begun) {
                    alice.execute("select count(*) from account");
                    database.execute("insert into account values (50, 7)");
                }
                assertRefusal(LockTransactionException.class, "25001", () -> alice.run(body))
                        .hasMessageContaining("inserted since");
                assertAborted(alice, isolation);
                database.execute("delete from account where id = 50");
                alice.close();
            }
        }
    }

    /** The COMMIT of the flush would be too late to see it. */
    @ParameterizedTest
    @EnumSource
    void anAbsentRowStoresNothing(Isolation isolation) throws Exception {
        DataSource dataSource =
                database.dataSourceWith("-c default_transaction_isolation=" + isolation.sql.replace(" ", "\\ "));
        RowLocks locks = locks(LockStrategy.BOTH);
        String nine = "update account set balance = 9 where id = 2";
        assertThatThrownBy(() ->
                        locks.on(dataSource).lock(forUpdate(row("account", 50))).execute(nine))
                .isInstanceOf(LockTransactionException.class);
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("0");
        locks.on(dataSource).lock(forUpdate(KEY)).execute(nine);
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("9");
        assertThatThrownBy(() -> locks(LockStrategy.ADVISORY)
                        .on(dataSource)
                        .lock(forUpdate(KEY))
                        .execute(nine))
                .isInstanceOf(LockTransactionException.class)
                .hasMessageContaining("ROW or BOTH");
    }

    private static void assertRefused(Session alice, Session.Body<?> body) throws Exception {
        assertRefusal(LockTransactionException.class, "25001", () -> alice.run(body))
                .hasMessageContainingAll("READ COMMITTED", "BOTH");
        assertThat(alice.advisoryLocks()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void bothAndRowAreAllowed(Isolation isolation) throws Exception {
        for (LockStrategy strategy : List.of(LockStrategy.BOTH, LockStrategy.ROW)) {
            Session alice = session("alice", isolation);
            alice.execute("select count(*) from account");
            LockResult one = lock(alice, locks(strategy), forUpdate(KEY));
            assertThat(one.isHeld()).isTrue();
            LockResult several = lock(alice, locks(strategy), forUpdate(KEYS));
            assertThat(several.absentRows()).isEmpty();
            alice.commit();
            assertAsBefore(alice, isolation);
            alice.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRowThatHasChangedSinceTheSnapshotIsASerializationFailure(Isolation isolation) throws Exception {
        for (LockStrategy strategy : List.of(LockStrategy.BOTH, LockStrategy.ROW)) {
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks(strategy).in(c).lock(forUpdate(KEY)),
                    c -> locks(strategy).in(c).lock(forUpdate(KEY).noWait()),
                    c -> locks(strategy).in(c).lock(forUpdate(KEYS)),
                    c -> locks(strategy).in(c).lockAndRead(forUpdate(KEY), READ, BALANCE))) {
                Session alice = session("alice", isolation);
                alice.execute("select count(*) from account");
                database.execute("update account set balance = balance + 1 where id = 1");
                assertThatThrownBy(() -> alice.run(body))
                        .as(strategy.name())
                        .isInstanceOf(LockSerializationException.class)
                        .satisfies(state("40001"));
                alice.rollback();
                assertAsBefore(alice, isolation);
                alice.close();
            }
        }
    }
}
