package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.LockStrategy.ADVISORY;
import static org.rowlock.LockStrategy.BOTH;
import static org.rowlock.LockStrategy.ROW;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.Locks.tryLock;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Held;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/** Where the strategies differ on purpose. What they have in common is in {@link RowLockContract}. */
@Tag("long")
class StrategyDifferencesTest {
    private static final LockKey KEY = LockKey.row("account", 1);
    private static final LockRequest LOCK = forUpdate(KEY).allowAbsent();
    private static final LockRequest LOCK_ABSENT =
            forUpdate(LockKey.row("account", 1000)).allowAbsent();
    private static final String HAND_WRITTEN = "select * from account where id = 1 for update";

    @RegisterExtension
    final TestDatabase database =
            TestDatabase.accounts(10, "create table entry(account int not null references account)");

    private final RowLocks row = locks(ROW);
    private final RowLocks both = locks(BOTH);
    private final RowLocks advisory = locks(ADVISORY);

    private Session alice;
    private Session bob;

    @BeforeEach
    void openSessions() throws Exception {
        alice = database.session("alice");
        bob = database.session("bob");
    }

    private static List<Integer> claim(Session session, RowLocks locks, Claim claim) throws Exception {
        return session.run(c -> locks.in(c).claim(claim, found -> found.getInt("id")));
    }

    // Writers that do not ask

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set balance = 9 where id = 1",
                "delete from account where id = 1",
                "insert into entry values (1)",
                HAND_WRITTEN
            })
    void plainSqlIsBlockedByRowAndBothAndNotByAdvisory(String sql) throws Exception {
        for (LockStrategy strategy : LockStrategy.values()) {
            lock(alice, locks(strategy), LOCK);

            Step<Boolean> other = bob.startExecute(sql);
            if (strategy != ADVISORY) {
                other.awaitBlockedBy(alice);
                alice.commit();
            }
            other.get();
            if (strategy == ADVISORY) {
                bob.rollback();
                assertThat(tryLock(bob, advisory, LOCK)).isFalse();
            }
            alice.rollback();
            bob.rollback();
        }
    }

    @EveryStrategy.WithRow
    void rowAndBothWaitForAPlainWriterAndForHandWrittenForUpdate(LockStrategy strategy) throws Exception {
        for (String plain : List.of("update account set balance = 9 where id = 1", HAND_WRITTEN)) {
            alice.execute(plain);

            assertThat(tryLock(bob, locks(strategy), LOCK)).as(plain).isFalse();
            Step<LockResult> step = startLock(bob, locks(strategy), LOCK).awaitBlockedBy(alice);
            alice.commit();

            assertThat(step.get().isHeld()).as(plain).isTrue();
            bob.rollback();
        }
    }

    @Test
    void advisoryDoesNotWaitForAPlainWriter() throws Exception {
        alice.execute("update account set balance = 9 where id = 1");

        assertThat(Held.of(lock(bob, advisory, LOCK))).isEqualTo(Held.KEY_LOCKED);
    }

    @EveryStrategy
    void aReferenceToTheRowIsNeverBlockedByForNoKeyUpdate(LockStrategy strategy) throws Exception {
        lock(alice, locks(strategy), forNoKeyUpdate(KEY));

        bob.execute("insert into entry values (1)");
    }

    // Rows that do not exist

    @EveryStrategy.WithKey
    void aRowThatDoesNotExistIsLockedByItsKeyAndExcludesASecondReserver(LockStrategy strategy, RowLocks locks)
            throws Exception {
        assertThat(Held.of(lock(alice, locks, LOCK_ABSENT)))
                .isEqualTo(strategy == BOTH ? Held.KEY_LOCKED_ROW_ABSENT : Held.KEY_LOCKED);

        for (RowLocks others : List.of(both, advisory)) {
            assertThat(tryLock(bob, others, LOCK_ABSENT)).isFalse();
        }
        Step<List<Integer>> second = bob.start(c -> locks.in(c)
                .lockAndRead(LOCK_ABSENT, "select id from account where id = 1000", found -> found.getInt(1)));
        second.awaitBlockedBy(alice);
        alice.execute("insert into account values (1000)");
        alice.commit();
        assertThat(second.get()).as("the second sees that it is taken").containsExactly(1000);
    }

    @Test
    void aRowThatDoesNotExistIsNotLockedByRowAndTheCallerCanTell() throws Exception {
        assertThat(Held.of(lock(alice, row, LOCK_ABSENT))).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        assertThat(tryLock(alice, row, LOCK_ABSENT)).isFalse();
        assertThat(Held.of(lock(bob, row, LOCK_ABSENT))).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        bob.execute("insert into account values (1000)");
        bob.commit();
        assertThat(Held.of(lock(alice, row, LOCK_ABSENT))).isEqualTo(Held.ROW_LOCKED);
    }

    @Test
    void whoWaitsForARowThatIsDeletedMeanwhileIsTold() throws Exception {
        for (RowLocks locks : List.of(row, both)) {
            lock(alice, locks, LOCK);
            Step<LockResult> step = startLock(bob, locks, LOCK).awaitBlockedBy(alice);
            alice.execute("delete from account where id = 1");
            alice.commit();

            assertThat(Held.of(step.get()))
                    .isEqualTo(locks == row ? Held.NOTHING_LOCKED_ROW_ABSENT : Held.KEY_LOCKED_ROW_ABSENT);
            bob.rollback();
            database.execute("insert into account values (1)");
        }
    }

    // Side by side, during a migration

    @ParameterizedTest
    @CsvSource({"ROW, BOTH", "BOTH, ROW", "BOTH, ADVISORY", "ADVISORY, BOTH"})
    void neighbouringStrategiesExcludeEachOther(LockStrategy holder, LockStrategy waiter) throws Exception {
        RowLocks holders = locks(holder);
        RowLocks waiters = locks(waiter);
        lock(alice, holders, LOCK);

        assertThat(tryLock(bob, waiters, LOCK)).isFalse();
        assertThatThrownBy(() ->
                        bob.run(c -> waiters.in(c).lock(forShare(KEY).atMost(java.time.Duration.ofMillis(20)))))
                .isInstanceOf(LockNotAvailableException.class);
        Step<LockResult> step = startLock(bob, waiters, LOCK).awaitBlockedBy(alice);
        alice.commit();

        assertThat(step.get().isHeld()).isTrue();
        assertThat(tryLock(alice, holders, LOCK)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"ROW, BOTH", "BOTH, ROW", "BOTH, ADVISORY", "ADVISORY, BOTH"})
    void sharersOfNeighbouringStrategiesShare(LockStrategy first, LockStrategy second) throws Exception {
        lock(alice, locks(first), forShare(KEY));

        assertThat(tryLock(bob, locks(second), forShare(KEY))).isTrue();
        assertThat(tryLock(bob, locks(second), LOCK)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"ROW, BOTH", "BOTH, ROW", "BOTH, ADVISORY", "ADVISORY, BOTH"})
    void claimersOfNeighbouringStrategiesGetDisjointRows(LockStrategy first, LockStrategy second) throws Exception {
        Claim claim = Claim.from("account").orderBy("id").limit(3);

        assertThat(claim(alice, locks(first), claim)).containsExactly(1, 2, 3);
        assertThat(claim(bob, locks(second), claim)).containsExactly(4, 5, 6);
    }

    @Test
    void rowAndAdvisoryDoNotExcludeEachOtherSoBothIsNeverSkipped() throws Exception {
        lock(alice, row, LOCK);

        assertThat(tryLock(bob, advisory, LOCK)).isTrue();
    }

    @EveryStrategy.WithRow
    void aClaimOfRowAndBothSkipsWhatHandWrittenForUpdateHolds(LockStrategy strategy) throws Exception {
        alice.execute(HAND_WRITTEN);

        assertThat(claim(
                        bob,
                        locks(strategy),
                        Claim.from("account").orderBy("id").limit(2)))
                .containsExactly(2, 3);
    }

    @Test
    void bothGivesTheAdvisoryLockBackWhenTheRowLockIsNotToBeHad() throws Exception {
        alice.execute(HAND_WRITTEN);

        for (LockWait wait : Waits.SHORT) {
            assertThatThrownBy(() -> bob.run(c -> both.in(c).lock(Requests.waiting(forUpdate(KEY), wait))))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThatThrownBy(() -> bob.run(c -> both.in(c)
                            .lock(Requests.waiting(forUpdate(List.of(KEY, LockKey.row("account", 2))), wait))))
                    .isInstanceOf(LockNotAvailableException.class);

            assertThat(advisoryLocksOf(bob)).isZero();
        }
        bob.execute("update account set balance = 2 where id = 2");
        bob.commit();
    }

    @Test
    void bothQueuesAtTheAdvisoryLockAndNotAtTheRow() throws Exception {
        lock(alice, both, LOCK);

        Step<LockResult> step = startLock(bob, both, LOCK).awaitBlockedBy(alice);

        assertThat(database.query("select locktype from pg_locks where not granted and pid = " + bob.pid()))
                .isEqualTo("advisory");
        alice.commit();
        step.get();
    }

    // Order

    @Test
    void sharersOvertakeAWaitingWriterWithRow(Session carol) throws Exception {
        lock(alice, row, forShare(KEY));
        Step<LockResult> writer = startLock(bob, row, LOCK).awaitBlockedBy(alice);

        assertThat(lock(carol, row, forShare(KEY)).isHeld()).isTrue();
        alice.commit();
        writer.awaitBlockedBy(carol);
        carol.commit();

        assertThat(writer.get().isHeld()).isTrue();
    }

    @EveryStrategy.WithKey
    void sharersQueueBehindAWaitingWriterWithBothAndAdvisory(RowLocks locks, Session carol) throws Exception {
        lock(alice, locks, forShare(KEY));
        Step<LockResult> writer = startLock(bob, locks, LOCK).awaitBlockedBy(alice);
        Step<LockResult> sharer = startLock(carol, locks, forShare(KEY)).awaitBlockedBy(bob);

        alice.commit();
        assertThat(writer.get().isHeld()).isTrue();
        assertThat(sharer.awaitBlockedBy(bob).isDone()).isFalse();
        bob.commit();

        assertThat(sharer.get().isHeld()).isTrue();
    }

    @EveryStrategy.WithKey
    void pairsAreLockedBeforeBigintsWithBothAndAdvisory(RowLocks locks) throws Exception {
        LockKey name = LockKey.name("nightly report");
        lock(alice, locks, LOCK);
        Step<?> behindThePair = bob.start(c -> locks.in(c).lock(forUpdate(List.of(name, KEY))));
        behindThePair.awaitBlockedBy(alice);
        assertThat(advisoryLocksOf(bob)).isZero();
        alice.commit();
        behindThePair.get();
        bob.commit();

        lock(alice, locks, forUpdate(name));
        Step<?> behindTheName = bob.start(c -> locks.in(c).lock(forUpdate(List.of(name, KEY))));
        behindTheName.awaitBlockedBy(alice);
        assertThat(advisoryLocksOf(bob)).isEqualTo(1);
        alice.commit();
        behindTheName.get();
    }

    private int advisoryLocksOf(Session session) throws Exception {
        return Integer.parseInt(database.query(
                "select count(*) from pg_locks where locktype = 'advisory' and granted and pid = " + session.pid()));
    }
}
