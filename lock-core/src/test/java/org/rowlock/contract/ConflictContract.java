package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.RowLockMode.FOR_KEY_SHARE;
import static org.rowlock.RowLockMode.FOR_NO_KEY_UPDATE;
import static org.rowlock.RowLockMode.FOR_SHARE;
import static org.rowlock.RowLockMode.FOR_UPDATE;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.RowLockMode;
import org.rowlock.testing.Held;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;

/** Who blocks whom. */
abstract class ConflictContract extends RowLockContract {
    private static final LockKey KEY = account(1);

    /** The table "Conflicting Row-Level Locks" of PostgreSQL's manual. */
    private static final Map<RowLockMode, Set<RowLockMode>> ROW_LOCK_CONFLICTS = Map.of(
            FOR_KEY_SHARE, EnumSet.of(FOR_UPDATE),
            FOR_SHARE, EnumSet.of(FOR_NO_KEY_UPDATE, FOR_UPDATE),
            FOR_NO_KEY_UPDATE, EnumSet.of(FOR_SHARE, FOR_NO_KEY_UPDATE, FOR_UPDATE),
            FOR_UPDATE, EnumSet.allOf(RowLockMode.class));

    /** Exclusive against everything, shared against exclusive. */
    private static final Map<RowLockMode, Set<RowLockMode>> ADVISORY_LOCK_CONFLICTS = Map.of(
            FOR_KEY_SHARE, EnumSet.of(FOR_NO_KEY_UPDATE, FOR_UPDATE),
            FOR_SHARE, EnumSet.of(FOR_NO_KEY_UPDATE, FOR_UPDATE),
            FOR_NO_KEY_UPDATE, EnumSet.allOf(RowLockMode.class),
            FOR_UPDATE, EnumSet.allOf(RowLockMode.class));

    ConflictContract(FirstLockContracts of) {
        super(
                of,
                ACCOUNTS,
                TEN_ACCOUNTS,
                "create table other(id int primary key)",
                "insert into other select g from generate_series(1, 10) g");
    }

    private boolean conflict(RowLockMode held, RowLockMode asked) {
        boolean rows = ROW_LOCK_CONFLICTS.get(held).contains(asked);
        boolean keys = ADVISORY_LOCK_CONFLICTS.get(held).contains(asked);
        return switch (strategy()) {
            case ROW -> rows;
            case BOTH -> rows || keys;
            case ADVISORY -> keys;
        };
    }

    @ParameterizedTest
    @EnumSource
    void aTryIsGrantedExactlyIfTheModesGoTogether(RowLockMode held) throws Exception {
        lock(alice, KEY, held);

        for (RowLockMode asked : RowLockMode.values()) {
            assertThat(tryLock(bob, KEY, asked)).as("%s", asked).isEqualTo(!conflict(held, asked));
            bob.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConflictingModeWaitsForTheEndAndAnyOtherDoesNotWait(RowLockMode held) throws Exception {
        for (Part<Session> end : List.<Part<Session>>of(Session::commit, Session::rollback)) {
            forEach(List.of(RowLockMode.values()), asked -> {
                lock(alice, KEY, held);
                Step<LockResult> second = startLock(bob, KEY, asked);
                if (conflict(held, asked)) {
                    second.awaitBlockedBy(alice);
                    end.of(alice);
                }
                assertThat(second.get().isHeld()).isTrue();
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionNeverBlocksItselfAndHoldsAllItAskedFor(RowLockMode first) throws Exception {
        for (RowLockMode second : RowLockMode.values()) {
            lock(alice, KEY, first);
            lock(alice, KEY, second);
            assertThat(tryLock(alice, KEY, first)).isTrue();

            for (RowLockMode asked : RowLockMode.values()) {
                assertThat(isFree(KEY, asked))
                        .as("%s for others after %s and %s", asked, first, second)
                        .isEqualTo(!conflict(first, asked) && !conflict(second, asked));
            }
            alice.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FOR_SHARE", "FOR_KEY_SHARE"})
    void anExclusiveLockWaitsForEverySharer(RowLockMode shared, Session carol) throws Exception {
        lock(alice, KEY, shared);
        lock(bob, KEY, shared);

        Step<LockResult> exclusive = startLock(carol, KEY);
        exclusive.awaitBlockedBy(alice, bob);
        alice.commit();
        exclusive.awaitBlockedBy(bob);
        bob.commit();

        assertThat(exclusive.get().isHeld()).isTrue();
    }

    @Test
    void waitersGetTheLockOneAtATime(Session carol) throws Exception {
        lock(alice, KEY);
        Step<LockResult> bobs = startLock(bob, KEY);
        bobs.awaitBlockedBy(alice);
        Step<LockResult> carols = startLock(carol, KEY);
        carols.awaitBlockedBy(alice, bob);

        alice.commit();
        assertThat(bobs.get().isHeld()).isTrue();
        carols.awaitBlockedBy(bob);
        bob.commit();

        assertThat(carols.get().isHeld()).isTrue();
    }

    @Test
    void otherKeysAreNotLocked() throws Exception {
        lock(alice, KEY);

        for (LockKey other : List.of(
                account(2),
                LockKey.row("other", 1),
                LockKey.name("account"),
                LockKey.name("1"),
                LockKey.number(1),
                LockKey.pair(0, 1))) {
            assertThat(tryLock(bob, other)).as("%s", other).isTrue();
        }
    }

    @Test
    void namesAndRawNumbersExcludeWithEveryStrategy() throws Exception {
        List<LockKey> keys =
                List.of(LockKey.name("nightly report"), LockKey.number(-7), LockKey.pair(3, Integer.MIN_VALUE));
        for (LockKey key : keys) {
            assertThat(Held.of(lock(alice, key))).isEqualTo(Held.KEY_LOCKED);
        }

        for (LockKey key : keys) {
            assertThat(tryLock(bob, key)).as("%s", key).isFalse();
            assertThat(tryLock(bob, key, FOR_SHARE)).as("%s", key).isFalse();
        }
        Step<LockResult> waiting = startLock(bob, keys.get(0)).awaitBlockedBy(alice);
        alice.commit();
        assertThat(Held.of(waiting.get())).isEqualTo(Held.KEY_LOCKED);
    }

    @Test
    void oneIdIsOneLockWhateverItsJavaType() throws Exception {
        lock(alice, LockKey.row("account", 7));

        assertThat(tryLock(bob, LockKey.row("account", 7L))).isFalse();
        assertThat(tryLock(bob, LockKey.row("account", "7"))).isFalse();
        assertThat(tryLock(bob, LockKey.row("ACCOUNT", java.math.BigInteger.valueOf(7))))
                .isFalse();
        assertThat(tryLock(bob, LockKey.row(database.schema() + ".account", (short) 7)))
                .isFalse();
    }
}
