package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.RowLockMode.FOR_KEY_SHARE;
import static org.rowlock.RowLockMode.FOR_NO_KEY_UPDATE;
import static org.rowlock.RowLockMode.FOR_SHARE;
import static org.rowlock.RowLockMode.FOR_UPDATE;

import java.sql.Connection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rowlock.LockKey;
import org.rowlock.LockListener.LockEvent;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.EndedEvent;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.testing.Locks;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Waits;

/** One call whose keys each have a mode of their own. */
abstract class SeveralModesContract extends RowLockContract {
    SeveralModesContract(FirstLockContracts of) {
        super(
                of,
                ACCOUNTS,
                TEN_ACCOUNTS,
                "create table seat(hall text, number int, primary key (hall, number))",
                "insert into seat select h, g from unnest(array['A', 'B']) h, generate_series(1, 5) g");
    }

    private static LockKey seat(int number) {
        return LockKey.row("seat", "A", number);
    }

    /** Each form of key, exclusive and shared. */
    private static Map<LockKey, RowLockMode> modes() {
        Map<LockKey, RowLockMode> modes = new LinkedHashMap<>();
        modes.put(account(1), FOR_SHARE);
        modes.put(account(2), FOR_UPDATE);
        modes.put(account(3), FOR_KEY_SHARE);
        modes.put(account(4), FOR_NO_KEY_UPDATE);
        modes.put(seat(1), FOR_SHARE);
        modes.put(seat(2), FOR_UPDATE);
        modes.put(LockKey.name("shared"), FOR_SHARE);
        modes.put(LockKey.name("exclusive"), FOR_UPDATE);
        modes.put(LockKey.number(1), FOR_KEY_SHARE);
        modes.put(LockKey.number(2), FOR_NO_KEY_UPDATE);
        modes.put(LockKey.pair(1, 1), FOR_SHARE);
        modes.put(LockKey.pair(1, 2), FOR_UPDATE);
        return modes;
    }

    private LockResult lockAll(Session session, Map<? extends LockKey, RowLockMode> modes, LockWait wait)
            throws Exception {
        return lock(session, Requests.waiting(Requests.of(modes), wait));
    }

    @Test
    void eachKeyIsLockedInItsMode() throws Exception {
        forEach(Waits.ALL, wait -> {
            LockResult result = lockAll(alice, modes(), wait);

            assertThat(RequestParts.of(Requests.of(modes())).keys()).containsExactlyElementsOf(modes().keySet());
            assertThat(result.absentRows()).isEmpty();
            assertThat(advisoryLocksOf(alice)).isEqualTo(strategy() == LockStrategy.ROW ? 6 : modes().size());
            for (Map.Entry<LockKey, RowLockMode> key : modes().entrySet()) {
                assertThat(isFree(key.getKey())).as("%s", key).isFalse();
                assertThat(isFree(key.getKey(), FOR_SHARE))
                        .as("%s for a sharer", key)
                        .isEqualTo(RequestParts.isShared(key.getValue()));
            }
        });
    }

    @Test
    void rowsAreLockedInPostgresOwnModes() throws Exception {
        lockAll(alice, modes(), LockWait.FOREVER);

        for (int id = 1; id <= 4; id++) {
            boolean rowLocked = strategy() != LockStrategy.ADVISORY;
            assertThat(isRowFree(id, "for update")).as("%s", id).isEqualTo(!rowLocked);
            assertThat(isRowFree(id, "for no key update"))
                    .as("%s for a writer", id)
                    .isEqualTo(!rowLocked || id == 3);
            assertThat(isRowFree(id, "for key share"))
                    .as("%s for a reference", id)
                    .isEqualTo(!rowLocked || id != 2);
        }
    }

    private boolean isRowFree(int id, String mode) throws Exception {
        return !database.query("select count(*) from (select from account where id = " + id + ' ' + mode
                        + " skip locked) as free")
                .equals("0");
    }

    @Test
    void strongestModeCountsWhereTwoSpellingsAreOneKey() throws Exception {
        String qualified = database.schema() + ".account";
        for (boolean first : List.of(true, false)) {
            Map<LockKey, RowLockMode> modes = new LinkedHashMap<>();
            modes.put(LockKey.row("account", 1), first ? FOR_UPDATE : FOR_SHARE);
            modes.put(LockKey.row(qualified, 1), first ? FOR_SHARE : FOR_UPDATE);

            lockAll(alice, modes, LockWait.FOREVER);

            assertThat(advisoryLocksOf(alice)).isEqualTo(advisoryLocksFor(1));
            assertThat(isFree(account(1), FOR_SHARE)).isFalse();
            alice.rollback();
        }
    }

    @Test
    void ifOneIsTakenNoneIsLocked() throws Exception {
        forEach(Waits.SHORT, wait -> {
            for (Map.Entry<LockKey, RowLockMode> key : modes().entrySet()) {
                // A sharer is in the way of the exclusive ones only.
                lock(alice, key.getKey(), RequestParts.isShared(key.getValue()) ? FOR_UPDATE : FOR_SHARE);
                lock(bob, account(10));

                assertThatThrownBy(() -> lockAll(bob, modes(), wait))
                        .as("%s", key)
                        .isInstanceOf(LockNotAvailableException.class)
                        .hasMessageContainingAll(
                                "12 keys", "FOR UPDATE and FOR NO KEY UPDATE and FOR SHARE and FOR KEY SHARE");

                assertThat(advisoryLocksOf(bob)).as("with %s taken", key).isEqualTo(advisoryLocksFor(1));
                alice.rollback();
                for (LockKey other : modes().keySet()) {
                    assertThat(isFree(other)).as("%s with %s taken", other, key).isTrue();
                }
                bob.execute("update account set balance = balance + 1 where id = 10");
                bob.commit();
            }
        });
    }

    @Test
    void whoWaitsForOneGetsAllWhenItIsReleased() throws Exception {
        lock(alice, seat(1));
        Step<LockResult> step = startLock(bob, Requests.of(modes())).awaitBlockedBy(alice);

        alice.commit();

        assertThat(step.get().isHeld()).isTrue();
        assertThat(isFree(seat(1), FOR_SHARE)).isTrue();
        assertThat(isFree(seat(2), FOR_SHARE)).isFalse();
    }

    /** Mode by mode, one would hold the account and wait for the seat, and the other hold the seat. */
    @Test
    void oppositeModesNeverDeadlock() throws Exception {
        alice.execute("set deadlock_timeout = '1ms'");
        bob.execute("set deadlock_timeout = '1ms'");
        Step<?> alices = alice.start(c -> lockInRandomModes(c, new Random(1)));
        Step<?> bobs = bob.start(c -> lockInRandomModes(c, new Random(2)));

        alices.get();
        bobs.get();
    }

    /** With ROW one row of each table, as the rows of a table are locked mode by mode there. */
    private Void lockInRandomModes(Connection connection, Random random) throws Exception {
        int rows = strategy() == LockStrategy.ROW ? 1 : 3;
        for (int round = 0; round < 150; round++) {
            Map<LockKey, RowLockMode> modes = new HashMap<>();
            for (int id = 1; id <= rows; id++) {
                modes.put(account(id), RowLockMode.values()[random.nextInt(4)]);
                modes.put(seat(id), RowLockMode.values()[random.nextInt(4)]);
            }
            modes.put(LockKey.name("x"), random.nextBoolean() ? FOR_SHARE : FOR_UPDATE);
            LockWait wait = random.nextBoolean() ? LockWait.FOREVER : LockWait.atMost(TestDatabase.DEADLINE);
            locks.in(connection).lock(Requests.waiting(Requests.of(modes), wait));
            connection.commit();
        }
        return null;
    }

    @Test
    void missingRowsAreReportedWhereRowsAreLookedFor() throws Exception {
        LockRequest request =
                Requests.of(Map.of(account(1), FOR_SHARE, account(5000), FOR_UPDATE, seat(77), FOR_SHARE));
        LockResult result = lock(alice, request.allowAbsent());

        if (strategy() == LockStrategy.ADVISORY) {
            assertThat(result.absentRows()).isEmpty();
        } else {
            assertThat(result.absentRows()).containsExactlyInAnyOrder(account(5000), seat(77));
        }
    }

    @Test
    void listenerIsToldTheStrongestMode() throws Exception {
        LockEvent[] told = new LockEvent[1];
        RowLocks listened = LockAccess.builder()
                .strategy(strategy())
                .listener(event -> told[0] = event)
                .build();

        Locks.lock(alice, listened, Requests.of(modes()));

        assertThat(((EndedEvent) told[0]).mode()).isEqualTo(FOR_UPDATE);
        assertThat(told[0].keys()).containsExactlyElementsOf(modes().keySet());
    }

    @Test
    void tablesOfOtherStrategiesAreLockedInTheSameCall() throws Exception {
        for (LockStrategy other : LockStrategy.values()) {
            RowLocks mixed = LockAccess.builder()
                    .strategy(strategy())
                    .strategy("seat", other)
                    .build();
            for (LockKey single : List.of(seat(1), seat(2))) {
                Map<LockKey, RowLockMode> modes = new LinkedHashMap<>(modes());
                modes.keySet().removeIf(key -> !(key instanceof LockKey.Row) || (key.equals(single)));

                Locks.lock(alice, mixed, Requests.of(modes));

                for (Map.Entry<LockKey, RowLockMode> key : modes.entrySet()) {
                    boolean exclusive = Locks.tryLock(bob, mixed, forUpdate(key.getKey()));
                    bob.rollback();
                    boolean shared = Locks.tryLock(bob, mixed, forShare(key.getKey()));
                    bob.rollback();
                    assertThat(exclusive).as("%s with seats by %s", key, other).isFalse();
                    assertThat(shared)
                            .as("%s shared with seats by %s", key, other)
                            .isEqualTo(RequestParts.isShared(key.getValue()));
                }
                alice.rollback();
            }
        }
    }
}
