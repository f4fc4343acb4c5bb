package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Refusals.state;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.LockCanceledException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Waits that end badly. */
abstract class FailureContract extends RowLockContract {
    private static final LockKey KEY = account(1);

    FailureContract(FirstLockContracts of) {
        super(of, ACCOUNTS, TEN_ACCOUNTS);
    }

    @Test
    void ofTwoInADeadlockOneIsTheVictimAndTheOtherGoesOn() throws Exception {
        lock(alice, account(1));
        lock(bob, account(2));

        List<Session> victims = victims(account(2), account(1));

        assertThat(victims).hasSize(1);
        Session victim = victims.get(0);
        assertAborted(victim);
        Session winner = victim == alice ? bob : alice;
        winner.execute("update account set balance = 7 where id = 1");
        winner.commit();
        victim.rollback();
        assertThat(lock(victim, account(1)).isHeld()).isTrue();
    }

    @Test
    void ofTwoThatUpgradeASharedLockOneIsTheVictim() throws Exception {
        lock(alice, KEY, RowLockMode.FOR_SHARE);
        lock(bob, KEY, RowLockMode.FOR_SHARE);

        assertThat(victims(KEY, KEY)).hasSize(1);
    }

    /** Closes a circle, and returns who could not have the key, at most one. */
    private List<Session> victims(LockKey ofAlice, LockKey ofBob) throws Exception {
        alice.execute("set deadlock_timeout = '20ms'");
        bob.execute("set deadlock_timeout = '20ms'");
        Step<LockResult> alices = startLock(alice, ofAlice).awaitBlockedBy(bob);
        Step<LockResult> bobs = startLock(bob, ofBob);
        List<Session> victims = new ArrayList<>();
        for (Session session : List.of(alice, bob)) {
            try {
                assertThat((session == alice ? alices : bobs).get().isHeld()).isTrue();
            } catch (LockDeadlockException e) {
                assertThat(e.sqlState()).contains("40P01");
                victims.add(session);
            }
        }
        return victims;
    }

    @Test
    void aDeadlockWithinABoundedWaitIsADeadlock() throws Exception {
        alice.execute("set deadlock_timeout = '30s'");
        bob.execute("set deadlock_timeout = '20ms'");
        LockWait bound = LockWait.atMost(TestDatabase.DEADLINE);
        lock(alice, account(1));
        lock(bob, account(2));

        Step<LockResult> alices = startLock(alice, account(2), bound).awaitBlockedBy(bob);
        Step<LockResult> bobs = startLock(bob, account(1), bound);

        assertThat(bobs.failure()).isInstanceOf(LockDeadlockException.class);
        assertAborted(bob);
        bob.rollback();
        assertThat(alices.get().isHeld()).isTrue();
    }

    @Test
    void aCanceledWaitAbortsTheTransactionAndHoldsNothing() throws Exception {
        lock(alice, KEY);
        lock(bob, account(2));
        Step<LockResult> step = startLock(bob, KEY).awaitBlockedBy(alice);

        bob.cancel();

        assertThat(step.failure())
                .isInstanceOf(LockCanceledException.class)
                .satisfies(state("57014"))
                .hasMessageContaining("account[1]");
        assertAborted(bob);
        assertThat(isFree(account(2))).isTrue();
        assertThat(advisoryLocksOf(bob)).isZero();
        bob.rollback();
        assertThat(lock(bob, account(2)).isHeld()).isTrue();
        assertThat(isFree(KEY)).as("still held by alice").isFalse();
    }

    @Test
    void aCanceledBoundedWaitIsNotMistakenForTheBound() throws Exception {
        lock(alice, KEY);
        Step<Boolean> step = bob.start(c -> locks.in(c)
                .tryLock(forUpdate(KEY).atMost(TestDatabase.DEADLINE))
                .isHeld());
        step.awaitBlockedBy(alice);

        bob.cancel();

        assertThat(step.failure()).isInstanceOf(LockCanceledException.class);
        assertAborted(bob);
    }

    @Test
    void aCanceledWaitForSeveralKeysHoldsNone() throws Exception {
        lock(alice, account(5));
        Step<LockResult> step = startLockAll(bob, List.of(account(1), account(5), account(9)), LockWait.FOREVER);
        step.awaitBlockedBy(alice);

        bob.cancel();

        assertThat(step.failure()).isInstanceOf(LockCanceledException.class);
        assertThat(isFree(account(1))).isTrue();
        assertThat(isFree(account(9))).isTrue();
        assertThat(advisoryLocksOf(bob)).isZero();
    }

    @Test
    void aCancelWhileLockAndReadWaitsIsALockCanceledException() throws Exception {
        lock(alice, KEY);
        Step<List<Integer>> step = bob.start(c -> locks.in(c)
                .lockAndRead(forUpdate(KEY), "update account set balance = 1 returning id", r -> r.getInt(1)));
        step.awaitBlockedBy(alice);

        bob.cancel();

        assertThat(step.failure()).isInstanceOf(LockCanceledException.class);
        bob.rollback();
        alice.commit();
        assertThat(balance(1)).isZero();
    }

    @Test
    void statementTimeoutEndsAWait() throws Exception {
        lock(alice, KEY);
        bob.execute("set statement_timeout = '50ms'");

        assertThatThrownBy(() -> lock(bob, KEY))
                .isInstanceOf(LockCanceledException.class)
                .satisfies(state("57014"))
                .hasMessageContaining("statement timeout");
        assertAborted(bob);
        assertThat(advisoryLocksOf(bob)).isZero();
    }

    @Test
    void aWaiterWhoseBackendIsTerminatedHoldsNothing() throws Exception {
        lock(alice, KEY);
        lock(bob, account(2));
        Step<LockResult> step = startLock(bob, KEY).awaitBlockedBy(alice);

        bob.terminate();

        assertThat(step.failure())
                .isInstanceOfSatisfying(
                        LockConnectionLostException.class,
                        e -> assertThat(e.sqlState().orElseThrow()).matches("57P01|08.*"));
        assertThat(isFree(account(2))).isTrue();
        alice.commit();
        assertThat(isFree(KEY)).isTrue();
    }

    @Test
    void othersGetInWhenTheHoldersBackendIsTerminated() throws Exception {
        lock(alice, KEY);
        alice.execute("update account set balance = 100 where id = 1");
        Step<LockResult> step = startLock(bob, KEY).awaitBlockedBy(alice);

        alice.terminate();

        assertThat(step.get().isHeld()).isTrue();
        assertThat(query(bob, "select balance from account where id = 1")).isEqualTo("0");
        assertThatThrownBy(() -> lock(alice, account(2))).isInstanceOf(LockConnectionLostException.class);
    }

    private static void assertAborted(Session session) {
        assertThatThrownBy(() -> session.execute("select 1")).satisfies(sqlState("25P02"));
    }
}
