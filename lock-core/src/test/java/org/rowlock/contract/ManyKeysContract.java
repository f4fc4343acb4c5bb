package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Several keys in one call. */
abstract class ManyKeysContract extends RowLockContract {
    ManyKeysContract(FirstLockContracts of) {
        super(
                of,
                ACCOUNTS,
                "insert into account select g from generate_series(1, 1000) g",
                "create table \"order\"(id bigint primary key)",
                "insert into \"order\" select g from generate_series(1, 10) g",
                "create table seat(hall text, number int, primary key (hall, number))",
                "insert into seat select h, g from unnest(array['A', 'B']) h, generate_series(1, 5) g");
    }

    private static List<LockKey> accounts(Integer... ids) {
        return LockKey.rows("account", List.of(ids));
    }

    /** Some of each form. */
    private static List<LockKey> mixedKeys() {
        return List.of(
                account(3),
                LockKey.row("\"order\"", 3),
                LockKey.row("\"order\"", 1),
                LockKey.row("seat", "B", 1),
                LockKey.row("seat", "A", 2),
                LockKey.name("nightly report"),
                LockKey.number(42),
                LockKey.pair(4, 2));
    }

    @ParameterizedTest
    @FieldSource("org.rowlock.testing.Waits#ALL")
    void equalKeysCountOnce(LockWait wait) throws Exception {
        LockRequest request = Requests.waiting(
                forUpdate(List.of(
                        account(2),
                        account(1),
                        LockKey.row("account", "2"),
                        LockKey.row("Account", 1L),
                        LockKey.row("account", 2))),
                wait);
        LockResult result = lock(alice, request);

        assertThat(RequestParts.of(request).keys()).containsExactly(account(2), account(1));
        assertThat(result.absentRows()).isEmpty();
        assertThat(advisoryLocksOf(alice)).isEqualTo(advisoryLocksFor(2));
    }

    @Test
    void oneTableByTwoNamesIsOneLock() throws Exception {
        lockAll(alice, List.of(account(1), LockKey.row(database.schema() + ".account", 1)));

        assertThat(advisoryLocksOf(alice)).isEqualTo(advisoryLocksFor(1));
        assertThat(isFree(account(1))).isFalse();
    }

    @ParameterizedTest
    @FieldSource("org.rowlock.testing.Waits#ALL")
    void severalTablesNamesAndNumbersAreLockedInOneCall(LockWait wait) throws Exception {
        assertThat(lockAll(alice, mixedKeys(), wait).absentRows()).isEmpty();

        for (LockKey key : mixedKeys()) {
            assertThat(isFree(key)).as("%s", key).isFalse();
        }
        assertThat(isFree(account(1))).isTrue();
        assertThat(isFree(LockKey.row("seat", "B", 2))).isTrue();
        alice.commit();
        for (LockKey key : mixedKeys()) {
            assertThat(isFree(key)).as("%s", key).isTrue();
        }
    }

    @ParameterizedTest
    @FieldSource("org.rowlock.testing.Waits#SHORT")
    void ifOneIsTakenNoneIsLocked(LockWait wait) throws Exception {
        for (LockKey taken : mixedKeys()) {
            lock(alice, taken);
            lock(bob, account(10));

            assertThatThrownBy(() -> lockAll(bob, mixedKeys(), wait)).isInstanceOf(LockNotAvailableException.class);
            assertThat(tryLock(bob, Requests.waiting(forUpdate(mixedKeys()), wait)))
                    .isFalse();

            assertThat(advisoryLocksOf(bob)).as("with %s taken", taken).isEqualTo(advisoryLocksFor(1));
            alice.rollback();
            for (LockKey key : mixedKeys()) {
                assertThat(isFree(key)).as("%s with %s taken", key, taken).isTrue();
            }
            assertThat(isFree(account(10))).isFalse();
            bob.execute("update account set balance = balance + 1 where id = 10");
            bob.commit();
        }
        assertThat(balance(10)).isEqualTo(mixedKeys().size());
    }

    @Test
    void sharersShareAllAndExcludeAWriter() throws Exception {
        List<LockKey> keys = mixedKeys();
        lock(alice, forShare(keys));

        lock(bob, LockRequest.of(RowLockMode.FOR_KEY_SHARE, keys).noWait());

        for (LockKey key : keys) {
            assertThat(isFree(key)).as("%s", key).isFalse();
        }
    }

    @Test
    void whoWaitsForOneGetsAllWhenItIsReleased(Session carol) throws Exception {
        lock(alice, account(2));
        lock(carol, account(4));
        Step<LockResult> step = startLockAll(bob, accounts(5, 4, 3, 2, 1), LockWait.FOREVER);
        step.awaitBlockedBy(alice);

        alice.commit();
        step.awaitBlockedBy(carol);
        carol.rollback();

        assertThat(step.get().isHeld()).isTrue();
        for (int id = 1; id <= 5; id++) {
            assertThat(isFree(account(id))).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("shortWaitsAndForever")
    void lowerIdsAreLockedBeforeHigherOnesWhateverTheOrderGiven(LockWait wait) throws Exception {
        lock(alice, account(900));

        Step<LockResult> step = startLockAll(bob, accounts(900, 7, 42, 1000), wait);
        step.awaitBlockedBy(alice);

        assertThat(isFree(account(7))).isFalse();
        assertThat(isFree(account(42))).isFalse();
        assertThat(isFree(account(1000))).isTrue();
        assertThat(advisoryLocksOf(bob)).isEqualTo(advisoryLocksFor(2));
        alice.commit();
        step.get();
        assertThat(isFree(account(1000))).isFalse();
    }

    static Stream<LockWait> shortWaitsAndForever() {
        return Stream.of(LockWait.FOREVER, LockWait.atMost(TestDatabase.DEADLINE));
    }

    @Test
    void oppositeOrdersNeverDeadlock() throws Exception {
        alice.execute("set deadlock_timeout = '1ms'");
        bob.execute("set deadlock_timeout = '1ms'");
        List<LockKey> all = new ArrayList<>(accounts(1, 2, 3, 20, 100));
        all.addAll(mixedKeys());
        Step<?> alices = alice.start(c -> lockInRandomOrder(c, all, new Random(1)));
        Step<?> bobs = bob.start(c -> lockInRandomOrder(c, all, new Random(2)));

        alices.get();
        bobs.get();
    }

    private Void lockInRandomOrder(java.sql.Connection connection, List<LockKey> all, Random random) throws Exception {
        for (int round = 0; round < 100; round++) {
            List<LockKey> keys = new ArrayList<>(all);
            Collections.shuffle(keys, random);
            LockWait wait = random.nextBoolean() ? LockWait.FOREVER : LockWait.atMost(TestDatabase.DEADLINE);
            locks.in(connection)
                    .lock(Requests.waiting(forUpdate(keys.subList(0, 2 + random.nextInt(all.size() - 2))), wait));
            connection.commit();
        }
        return null;
    }

    /**
     * The first holder lets go when three quarters of the bound are over, by the server's clock, and the second would
     * after another three quarters: each wait is within the bound, and both together are not.
     */
    @Test
    void theBoundIsForAllKeysTogether(Session carol) throws Exception {
        Duration bound = Duration.ofMillis(1000);
        lock(alice, account(1));
        lock(carol, account(2));
        lock(bob, account(3));

        Step<LockResult> step = startLockAll(bob, accounts(1, 2), LockWait.atMost(bound));
        step.awaitBlockedBy(alice);
        awaitWaiting(bob, step, bound.toMillis() * 3 / 4);
        alice.commit();
        awaitWaiting(bob, step, bound.toMillis() * 3 / 4);
        carol.commit();

        assertThat(step.failure()).isInstanceOf(LockNotAvailableException.class);
        assertThat(isFree(account(1))).isTrue();
        assertThat(isFree(account(2))).isTrue();
        assertThat(isFree(account(3))).isFalse();
    }

    /** Waits until the server has seen the session wait for its present lock for so long, or the step has ended. */
    private void awaitWaiting(Session session, Step<?> step, long millis) {
        String waiting = "select count(*) from pg_locks where not granted and pid = " + session.pid()
                + " and clock_timestamp() - waitstart > interval '1 ms' * " + millis;
        TestDatabase.await()
                .until(() -> step.isDone() || database.query(waiting).equals("1"));
    }

    @Test
    void missingRowsAreReportedWhereRowsAreLookedFor() throws Exception {
        LockRequest request =
                forUpdate(List.of(account(5000), account(1), LockKey.row("seat", "C", 1), LockKey.name("x")));
        LockResult result = lock(alice, request.allowAbsent());

        if (strategy() == LockStrategy.ADVISORY) {
            assertThat(result.absentRows()).isEmpty();
        } else {
            assertThat(result.absentRows()).containsExactlyInAnyOrder(account(5000), LockKey.row("seat", "C", 1));
        }
        assertThat(isFree(account(1))).isFalse();
    }

    @Test
    void tryLockAllIsTrueOnlyIfEveryKeyIsLocked() throws Exception {
        boolean all = tryLockAll(alice, accounts(1, 5000));

        assertThat(all).isEqualTo(strategy() != LockStrategy.ROW);
        assertThat(isFree(account(1))).isFalse();
    }

    @Test
    void aThousandDistinctKeysAreLockedInOneCall() throws Exception {
        List<LockKey> keys = new ArrayList<>();
        IntStream.rangeClosed(1, 2000).forEach(id -> keys.add(account(1 + id % 1000)));
        Collections.shuffle(keys, new Random(3));

        assertThat(lockAll(alice, keys).absentRows()).isEmpty();

        assertThat(advisoryLocksOf(alice)).isEqualTo(advisoryLocksFor(1000));
        assertThat(isFree(account(1))).isFalse();
        assertThat(isFree(account(1000))).isFalse();
    }
}
