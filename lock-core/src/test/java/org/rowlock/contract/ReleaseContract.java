package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.RowLockMode;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** When locks are let go, and what the next holder sees. */
abstract class ReleaseContract extends RowLockContract {
    private static final LockKey KEY = account(1);

    ReleaseContract(FirstLockContracts of) {
        super(of, ACCOUNTS, TEN_ACCOUNTS);
    }

    @Test
    void theEndOfTheTransactionReleasesEverything() throws Exception {
        forEach(List.of(true, false), committed -> {
            lock(alice, KEY);
            lock(alice, account(2), RowLockMode.FOR_SHARE);
            lockAll(alice, List.of(account(3), account(4)));
            assertThat(isFree(KEY)).isFalse();

            if (committed) {
                alice.commit();
            } else {
                alice.rollback();
            }

            for (int id = 1; id <= 4; id++) {
                assertThat(isFree(account(id))).as("account %s", id).isTrue();
            }
            assertThat(advisoryLocksOf(alice)).isZero();
        });
    }

    @Test
    void aLockTakenTwiceIsReleasedByOneCommit() throws Exception {
        lock(alice, KEY);
        lock(alice, KEY);

        alice.commit();

        assertThat(isFree(KEY)).isTrue();
    }

    @Test
    void closingTheConnectionReleases() throws Exception {
        lock(alice, KEY);
        Step<LockResult> step = startLock(bob, KEY).awaitBlockedBy(alice);

        alice.close();

        assertThat(step.get().isHeld()).isTrue();
    }

    @Test
    void rollbackToASavepointReleasesTheLocksBehindItAndOnlyThese() throws Exception {
        lock(alice, KEY);
        alice.execute("savepoint here");
        lock(alice, account(2));
        lockAll(alice, List.of(account(3), account(4)));

        alice.execute("rollback to savepoint here");

        assertThat(isFree(KEY)).isFalse();
        for (int id = 2; id <= 4; id++) {
            assertThat(isFree(account(id))).as("account %s", id).isTrue();
        }
    }

    @Test
    void aLockIsNotBelievedHeldAfterRollbackToASavepoint() throws Exception {
        alice.execute("savepoint here");
        lock(alice, KEY);
        alice.execute("rollback to savepoint here");
        lock(bob, KEY);

        assertThat(tryLock(alice, KEY)).isFalse();
        Step<LockResult> again = startLock(alice, KEY).awaitBlockedBy(bob);
        bob.commit();
        assertThat(again.get().isHeld()).isTrue();
        assertThat(isFree(KEY)).isFalse();
    }

    @Test
    void releasingASavepointKeepsTheLocks() throws Exception {
        alice.execute("savepoint here");
        lock(alice, KEY);

        alice.execute("release savepoint here");

        assertThat(isFree(KEY)).isFalse();
    }

    @Test
    void rollbackToASavepointTakesBackAnUpgradeAndLeavesTheSharedLock() throws Exception {
        lock(alice, KEY, RowLockMode.FOR_SHARE);
        alice.execute("savepoint here");
        lock(alice, KEY, RowLockMode.FOR_UPDATE);
        assertThat(isFree(KEY, RowLockMode.FOR_SHARE)).isFalse();

        alice.execute("rollback to savepoint here");

        assertThat(isFree(KEY, RowLockMode.FOR_SHARE)).isTrue();
        assertThat(isFree(KEY)).isFalse();
    }

    private Step<List<Long>> startRead(LockRequest request, int id) {
        return bob.start(c -> locks.in(c)
                        .lockAndRead(request, "select balance from account where id = ?", row -> row.getLong(1), id))
                .awaitBlockedBy(alice);
    }

    @Test
    void aReadInTheSameRoundTripSeesWhatTheHolderCommitted() throws Exception {
        forEach(List.of(forUpdate(KEY), forShare(KEY).atMost(TestDatabase.DEADLINE)), request -> {
            lock(alice, KEY);
            alice.execute("update account set balance = balance + 100 where id = 1");
            long written = Long.parseLong(query(alice, "select balance from account where id = 1"));
            Step<List<Long>> step = startRead(request, 1);

            alice.commit();

            assertThat(step.get()).containsExactly(written);
        });
    }

    @Test
    void aStatementAfterTheLockSeesWhatTheHolderCommitted() throws Exception {
        bob.execute("select balance from account where id = 1");
        lock(alice, KEY);
        alice.execute("update account set balance = 100 where id = 1");
        Step<LockResult> step = startLock(bob, KEY).awaitBlockedBy(alice);

        alice.commit();
        step.get();

        assertThat(query(bob, "select balance from account where id = 1")).isEqualTo("100");
    }

    @Test
    void aRowThatTheHolderInsertedIsSeen() throws Exception {
        LockKey name = LockKey.name("reservation");
        lock(alice, name);
        alice.execute("insert into account values (11, 100)");
        Step<List<Long>> step = startRead(forUpdate(name), 11);

        alice.commit();

        assertThat(step.get()).containsExactly(100L);
    }

    @Test
    void nothingOfTheHolderIsSeenAfterItsRollback() throws Exception {
        lock(alice, KEY);
        alice.execute("update account set balance = 100 where id = 1");
        Step<List<Long>> step = startRead(forUpdate(KEY), 1);

        alice.rollback();

        assertThat(step.get()).containsExactly(0L);
    }
}
