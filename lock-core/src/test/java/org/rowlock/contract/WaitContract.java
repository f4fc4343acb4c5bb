package org.rowlock.contract;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Refusals.state;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockResult;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** How long a lock call waits, and what is left when it has waited in vain. */
abstract class WaitContract extends RowLockContract {
    private static final LockKey KEY = account(1);

    WaitContract(FirstLockContracts of) {
        super(of, ACCOUNTS, TEN_ACCOUNTS);
    }

    static Stream<LockWait> shortWaits() {
        return Stream.of(
                LockWait.NO_WAIT,
                LockWait.atMost(Duration.ZERO),
                LockWait.atMost(Duration.ofNanos(1)),
                LockWait.atMost(ofMillis(20)));
    }

    @ParameterizedTest
    @MethodSource("shortWaits")
    void aWaitInVainHoldsNothingNewAndLeavesTheTransactionUsable(LockWait wait) throws Exception {
        lock(alice, KEY);
        lock(bob, account(2));
        bob.execute("update account set balance = 20 where id = 2");

        assertThatThrownBy(() -> lock(bob, KEY, wait))
                .isInstanceOf(LockNotAvailableException.class)
                .satisfies(state("55P03"))
                .hasMessageContainingAll("account[1]", "FOR UPDATE");

        assertThat(advisoryLocksOf(bob)).isEqualTo(advisoryLocksFor(1));
        assertThat(isFree(account(2))).isFalse();
        alice.rollback();
        assertThat(isFree(KEY)).isTrue();
        lock(bob, account(3));
        bob.execute("update account set balance = 30 where id = 3");
        bob.commit();
        assertThat(List.of(balance(1), balance(2), balance(3))).containsExactly(0L, 20L, 30L);
    }

    @ParameterizedTest
    @MethodSource("shortWaits")
    void aWaitInVainAsTheFirstStatementLeavesTheTransactionUsable(LockWait wait) throws Exception {
        lock(alice, KEY);

        assertThatThrownBy(() -> lock(bob, KEY, wait)).isInstanceOf(LockNotAvailableException.class);

        bob.execute("update account set balance = 20 where id = 2");
        bob.commit();
        assertThat(balance(2)).isEqualTo(20);
    }

    @ParameterizedTest
    @MethodSource("shortWaits")
    void aFreeLockIsGrantedWhateverTheWait(LockWait wait) throws Exception {
        assertThat(lock(bob, KEY, wait).isHeld()).isTrue();

        assertThat(isFree(KEY)).isFalse();
        assertThat(advisoryLocksOf(bob)).isEqualTo(advisoryLocksFor(1));
    }

    @Test
    void tryLockTellsByABoolean() throws Exception {
        lock(alice, KEY);

        assertThat(tryLock(bob, KEY)).isFalse();
        assertThat(tryLock(bob, forUpdate(KEY).atMost(ofMillis(20)))).isFalse();
        assertThat(tryLock(bob, forUpdate(KEY).atMost(Duration.ZERO))).isFalse();
        assertThat(tryLock(bob, forShare(KEY).atMost(ofMillis(20)))).isFalse();
        bob.execute("update account set balance = 20 where id = 2");
        alice.rollback();
        assertThat(tryLock(bob, forUpdate(KEY).atMost(ofMillis(20)))).isTrue();
        assertThat(isFree(KEY)).isFalse();
        bob.commit();
        assertThat(balance(2)).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1ms"})
    void aBoundedWaitIsGrantedWhenTheHolderCommitsInTimeWhateverTheSessionsBound(String timeout) throws Exception {
        bob.execute("set lock_timeout = '" + timeout + "'");
        lock(alice, KEY);
        Step<LockResult> step = startLock(bob, KEY, LockWait.atMost(TestDatabase.DEADLINE));
        step.awaitBlockedBy(alice);

        alice.commit();

        assertThat(step.get().isHeld()).isTrue();
        assertThat(isFree(KEY)).isFalse();
    }

    @Test
    void aBoundedTryIsGrantedWhenTheHolderRollsBackInTime() throws Exception {
        lock(alice, KEY);
        Step<Boolean> step = bob.start(c -> locks.in(c)
                .tryLock(forUpdate(KEY).atMost(TestDatabase.DEADLINE))
                .isHeld());
        step.awaitBlockedBy(alice);

        alice.rollback();

        assertThat(step.get()).isTrue();
        assertThat(isFree(KEY)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "set lock_timeout = '1234ms'", "set local lock_timeout = '2s'", "set lock_timeout = 0"})
    void theCallersLockTimeoutComesBackWordForWord(String setting) throws Exception {
        if (!setting.isEmpty()) {
            bob.execute(setting);
        }
        String before = query(bob, "show lock_timeout");
        lock(alice, KEY);
        bob.execute("savepoint before");

        for (LockWait wait : shortWaits().toList()) {
            assertThatThrownBy(() -> lock(bob, KEY, wait)).isInstanceOf(LockNotAvailableException.class);
            assertThat(query(bob, "show lock_timeout")).as("%s in vain", wait).isEqualTo(before);
            assertThatThrownBy(() -> lockAll(bob, List.of(account(2), KEY), wait))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThat(query(bob, "show lock_timeout"))
                    .as("%s in vain for two", wait)
                    .isEqualTo(before);
            lock(bob, account(3), wait);
            assertThat(query(bob, "show lock_timeout")).as("%s granted", wait).isEqualTo(before);
            lockAll(bob, List.of(account(4), account(5), LockKey.name("x")), wait);
            assertThat(query(bob, "show lock_timeout"))
                    .as("%s granted for all", wait)
                    .isEqualTo(before);
            List<String> seen = bob.run(c -> locks.in(c)
                    .lockAndRead(
                            Requests.waiting(forUpdate(account(6)), wait),
                            "select current_setting('lock_timeout')",
                            row -> row.getString(1)));
            assertThat(seen).as("%s behind the lock", wait).containsExactly(before);
        }
        bob.execute("rollback to savepoint before");
        assertThat(query(bob, "show lock_timeout")).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"set lock_timeout = '1234ms', 1234ms", "set local lock_timeout = '1234ms', 0"})
    void aLockTimeoutOutlivesABoundedWaitAsLongAsItWasSetFor(String setting, String later) throws Exception {
        bob.execute(setting);
        lock(bob, KEY, LockWait.atMost(ofMillis(20)));
        bob.commit();

        assertThat(query(bob, "show lock_timeout")).isEqualTo(later);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mine", "rowlock"})
    void savepointsOfTheCallerSurvive(String name) throws Exception {
        lock(alice, KEY);
        bob.execute("update account set balance = 20 where id = 2");
        Savepoint savepoint = bob.run(c -> c.setSavepoint(name));
        bob.execute("update account set balance = 30 where id = 3");

        for (LockWait wait : shortWaits().toList()) {
            assertThatThrownBy(() -> lock(bob, KEY, wait)).isInstanceOf(LockNotAvailableException.class);
            lock(bob, account(4), wait);
            lockAll(bob, List.of(account(5), account(6)), wait);
        }
        bob.startAction(c -> c.rollback(savepoint)).get();

        assertThat(isFree(account(4))).isTrue();
        bob.commit();
        assertThat(List.of(balance(2), balance(3))).containsExactly(20L, 0L);
    }

    @Test
    void noSavepointStaysBehind() throws Exception {
        lock(alice, KEY);
        lock(bob, account(2), LockWait.atMost(ofMillis(20)));
        assertThatThrownBy(() -> lock(bob, KEY, LockWait.NO_WAIT)).isInstanceOf(LockNotAvailableException.class);
        assertThatThrownBy(() -> lock(bob, KEY, LockWait.atMost(ofMillis(20))))
                .isInstanceOf(LockNotAvailableException.class);

        assertThatThrownBy(() -> bob.execute("release savepoint rowlock")).satisfies(sqlState("3B001"));
    }

    @Test
    void theSessionsLockTimeoutEndsAWaitForeverAndAbortsTheTransaction() throws Exception {
        lock(alice, KEY);
        bob.execute("set lock_timeout = '20ms'");

        assertThatThrownBy(() -> lock(bob, KEY))
                .isInstanceOf(LockNotAvailableException.class)
                .satisfies(state("55P03"))
                .hasMessageContaining("lock_timeout");

        assertThatThrownBy(() -> bob.execute("select 1")).satisfies(sqlState("25P02"));
        bob.rollback();
        assertThat(lock(bob, account(2)).isHeld()).isTrue();
    }

    @Test
    void aTryForeverDoesNotHideThatTheSessionsLockTimeoutAbortedTheTransaction() throws Exception {
        lock(alice, KEY);
        bob.execute("set lock_timeout = '20ms'");
        bob.commit();

        assertThatThrownBy(() -> tryLock(bob, forUpdate(KEY).forever())).isInstanceOf(LockNotAvailableException.class);
        bob.rollback();
        assertThatThrownBy(() ->
                        tryLock(bob, forUpdate(List.of(account(2), KEY)).forever()))
                .isInstanceOf(LockNotAvailableException.class);
    }

    @Test
    void theDriversAutosaveDoesNotGetInTheWay() throws Exception {
        var dataSource = database.dataSource();
        dataSource.setAutosave(org.postgresql.jdbc.AutoSave.ALWAYS);
        lock(alice, KEY);
        try (Connection connection = begin(dataSource)) {
            for (LockWait wait : shortWaits().toList()) {
                assertThatThrownBy(() -> locks.in(connection).lock(Requests.waiting(forUpdate(KEY), wait)))
                        .isInstanceOf(LockNotAvailableException.class);
                assertThat(locks.in(connection)
                                .lock(Requests.waiting(forUpdate(account(2)), wait))
                                .isHeld())
                        .isTrue();
            }
            connection.rollback();
        }
    }

    /** The bound is of the call: with two of it the server would seem to be gone. */
    @Tag("long")
    @Test
    void theWaitForTheTableAndThatForTheKeyShareTheBound() throws Exception {
        lock(alice, KEY);
        alice.execute("savepoint here");
        alice.execute("lock table account in access exclusive mode");
        Step<LockResult> step = startLock(bob, KEY, LockWait.atMost(Duration.ofSeconds(4)));
        step.awaitBlockedBy(alice);
        TestDatabase.await("most of the bound")
                .until(() -> database.query(
                                "select clock_timestamp() - query_start > '2.5 s' from pg_stat_activity where pid = "
                                        + bob.pid())
                        .equals("t"));
        alice.execute("rollback to savepoint here");
        assertThat(step.failure()).isInstanceOf(LockNotAvailableException.class);
        bob.execute("select 1");
    }
}
