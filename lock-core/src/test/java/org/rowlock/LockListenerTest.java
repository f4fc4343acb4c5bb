package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.LockStrategy.ADVISORY;
import static org.rowlock.LockStrategy.BOTH;
import static org.rowlock.LockStrategy.ROW;
import static org.rowlock.RowLockMode.FOR_KEY_SHARE;
import static org.rowlock.RowLockMode.FOR_SHARE;
import static org.rowlock.RowLockMode.FOR_UPDATE;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.Locks.tryLock;
import static org.rowlock.testing.Refusals.state;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.LockEvent;
import org.rowlock.LockListener.Outcome;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.value.EndedEvent;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.CapturedLog;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** One call of the listener for each attempt, with what was asked and how it ended. */
class LockListenerTest {
    private static final LockKey A = row("account", 1);
    private static final LockKey B = row("account", 2);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(5);

    private final List<LockEvent> acquisitions = new CopyOnWriteArrayList<>();
    private final List<LockEvent> admissions = new CopyOnWriteArrayList<>();
    private final List<LockEvent> holds = new CopyOnWriteArrayList<>();
    private final LockListener listener = event -> {
        switch (event.kind()) {
            case ACQUISITION -> acquisitions.add(event);
            case ADMISSION -> admissions.add(event);
            case HOLD -> holds.add(event);
        }
    };

    private RowLocks locks(LockStrategy strategy) {
        return LockAccess.builder().strategy(strategy).listener(listener).build();
    }

    private void expect(List<LockKey> keys, RowLockMode mode, LockStrategy strategy, LockWait wait, Outcome outcome) {
        assertThat(acquisitions).singleElement().satisfies(told -> {
            assertThat(told.keys()).isEqualTo(keys);
            assertThat(((EndedEvent) told).mode()).isEqualTo(mode);
            assertThat(told.strategy()).isEqualTo(strategy);
            assertThat(((EndedEvent) told).lockWait()).isEqualTo(wait);
            assertThat(told.outcome()).isEqualTo(outcome);
            assertThat(told.took()).isPositive();
        });
        acquisitions.clear();
    }

    /** From the answer to the lock to the end of the transaction, wherever the library sees both. */
    @EveryStrategy
    void holdsAreToldWithTheirEnd(LockStrategy strategy, Session alice, Session bob) throws Exception {
        RowLocks locks = locks(strategy);
        List<LockEvent> before = List.copyOf(holds);
        locks.on(database.dataSource()).lock(forUpdate(A)).useTransaction(tx -> {
            assertThat(holds).isEqualTo(before);
        });
        BoundQuery<Integer> query = BoundQuery.of("select id from account where id = 1", row -> row.getInt(1));
        locks.on(database.dataSource())
                .lock(forUpdate(A))
                .read(query)
                .inTransaction(tx -> tx.atCommit("update account set balance = ?", 7));
        assertThatThrownBy(() -> locks.on(database.dataSource())
                        .lock(forUpdate(A))
                        .inTransaction(tx -> tx.atCommit("update account set balance = 0 where id = 99")
                                .expectOneRow()))
                .isInstanceOf(UnexpectedRowCountException.class);
        assertThat(holds).hasSize(3).allSatisfy(hold -> {
            assertThat(hold.keys()).containsExactly(A);
            assertThat(((EndedEvent) hold).mode()).isEqualTo(FOR_UPDATE);
            assertThat(hold.strategy()).isEqualTo(strategy);
            assertThat(((EndedEvent) hold).lockWait()).isEqualTo(LockWait.FOREVER);
            assertThat(hold.took()).isPositive();
        });
        assertThat(holds.stream().map(LockEvent::outcome))
                .containsExactly(Outcome.COMMITTED, Outcome.COMMITTED, Outcome.ROLLED_BACK);
        lock(alice, LockAccess.builder().build(), forUpdate(A));
        lock(bob, LockAccess.builder().strategy(ADVISORY).build(), forUpdate(A));
        assertThatThrownBy(() -> locks.on(database.dataSource())
                        .lock(forUpdate(List.of(B, A)).noWait())
                        .inTransaction(tx -> 1))
                .isInstanceOf(LockNotAvailableException.class);
        // What was not had was not held.
        assertThat(holds).hasSize(3);
    }

    @EveryStrategy
    void everyWayToLockIsTold(LockStrategy strategy, Session alice) throws Exception {
        RowLocks locks = locks(strategy);
        LockWait bound = LockWait.atMost(Duration.ofSeconds(9));

        lock(alice, locks, forUpdate(A));
        expect(List.of(A), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.ACQUIRED);
        lock(alice, locks, Requests.waiting(forShare(A), bound));
        expect(List.of(A), FOR_SHARE, strategy, bound, Outcome.ACQUIRED);
        tryLock(alice, locks, LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(A)));
        expect(List.of(A), FOR_KEY_SHARE, strategy, LockWait.NO_WAIT, Outcome.ACQUIRED);
        lock(alice, locks, forUpdate(List.of(B, A, B)));
        expect(List.of(B, A), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.ACQUIRED);
        tryLock(alice, locks, forUpdate(List.of(B, A)));
        expect(List.of(B, A), FOR_UPDATE, strategy, LockWait.NO_WAIT, Outcome.ACQUIRED);
        alice.run(c -> locks.in(c).lockAndRead(forUpdate(A), "select 1", result -> result.getInt(1)));
        expect(List.of(A), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.ACQUIRED);
    }

    @EveryStrategy
    void claimTellsTheKeysOfTheRowsItReturned(LockStrategy strategy, Session alice, Session bob) throws Exception {
        RowLocks locks = locks(strategy);
        lock(alice, locks, forUpdate(A));
        acquisitions.clear();
        Claim claim = Claim.from("account").orderBy("id").limit(2);
        bob.run(c -> locks.in(c).claim(claim, result -> result.getInt(1)));
        List<LockKey> claimed = strategy == LockStrategy.ROW ? List.of() : List.of(B, row("account", 3));
        expect(claimed, FOR_UPDATE, strategy, LockWait.NO_WAIT, Outcome.ACQUIRED);
        Claim none = Claim.from("account").where("balance > 0");
        bob.run(c -> locks.in(c).claim(none, result -> result.getInt(1)));
        expect(List.of(), FOR_UPDATE, strategy, LockWait.NO_WAIT, Outcome.ACQUIRED);
    }

    @EveryStrategy
    void refusalIsToldAsNotAvailable(LockStrategy strategy, Session alice, Session bob) throws Exception {
        RowLocks locks = locks(strategy);
        lock(alice, locks, forUpdate(A));
        acquisitions.clear();
        for (LockWait wait : List.of(LockWait.NO_WAIT, LockWait.atMost(Duration.ofMillis(10)))) {
            tryLock(bob, locks, Requests.waiting(forUpdate(A), wait));
            expect(List.of(A), FOR_UPDATE, strategy, wait, Outcome.NOT_AVAILABLE);
            assertThat(startLock(bob, locks, Requests.waiting(forShare(A), wait))
                            .failure())
                    .isInstanceOf(LockNotAvailableException.class);
            expect(List.of(A), FOR_SHARE, strategy, wait, Outcome.NOT_AVAILABLE);
            tryLock(bob, locks, Requests.waiting(forUpdate(List.of(B, A)), wait));
            expect(List.of(B, A), FOR_UPDATE, strategy, wait, Outcome.NOT_AVAILABLE);
        }
    }

    @EveryStrategy
    void deadlockIsToldAsSuch(LockStrategy strategy, Session alice, Session bob) throws Exception {
        RowLocks locks = locks(strategy);
        for (Session session : List.of(alice, bob)) {
            session.execute("set deadlock_timeout = '10ms'");
            session.commit();
        }
        lock(alice, locks, forUpdate(A));
        lock(bob, locks, forUpdate(B));
        acquisitions.clear();
        Step<LockResult> alices = startLock(alice, locks, forUpdate(B));
        Step<LockResult> bobs = startLock(bob, locks, forUpdate(A));
        List<Outcome> outcomes = new CopyOnWriteArrayList<>();
        for (Step<LockResult> step : firstToFailFirst(alices, bobs)) {
            try {
                step.get();
                outcomes.add(Outcome.ACQUIRED);
            } catch (LockDeadlockException e) {
                outcomes.add(Outcome.DEADLOCK);
                (step == alices ? alice : bob).rollback();
            }
        }
        assertThat(outcomes).containsExactlyInAnyOrder(Outcome.ACQUIRED, Outcome.DEADLOCK);
        assertThat(acquisitions)
                .extracting(LockEvent::outcome)
                .containsExactlyInAnyOrder(Outcome.ACQUIRED, Outcome.DEADLOCK);
    }

    private static List<Step<LockResult>> firstToFailFirst(Step<LockResult> one, Step<LockResult> other) {
        TestDatabase.await().until(() -> one.isDone() || other.isDone());
        return one.isDone() ? List.of(one, other) : List.of(other, one);
    }

    @EveryStrategy
    void anyOtherFailureIsTold(LockStrategy strategy, Session alice, Session bob) throws Exception {
        RowLocks locks = locks(strategy);
        assertThat(alice.start(c -> locks.in(c)
                                .lockAndRead(forUpdate(A), "select no_such_column", result -> result.getInt(1)))
                        .failure())
                .isInstanceOf(SQLException.class);
        expect(List.of(A), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.FAILED);
        alice.rollback();

        alice.execute("set transaction read only");
        assertThat(startLock(alice, locks, forUpdate(A)).failure()).isInstanceOf(LockTransactionException.class);
        expect(List.of(A), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.FAILED);
        alice.rollback();

        lock(alice, locks, forUpdate(A));
        acquisitions.clear();
        Step<LockResult> bobs = startLock(bob, locks, forUpdate(A)).awaitBlockedBy(alice);
        bob.terminate();
        assertThat(bobs.failure()).isInstanceOf(LockConnectionLostException.class);
        expect(List.of(A), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.FAILED);
    }

    /** An absent row is told as such, unless its key is locked in its place or nothing looks for it. */
    @EveryStrategy
    void anAbsentRowIsToldAtEveryDoor(LockStrategy strategy, Session alice) throws Exception {
        RowLocks locks = locks(strategy);
        LockKey absent = row("account", 9);
        boolean looks = strategy != ADVISORY;
        Outcome refused = looks ? Outcome.ABSENT : Outcome.ACQUIRED;
        RowLocks whole = locks.on(database.dataSource());
        List<ThrowingCallable> doors = List.of(
                () -> lock(alice, locks, forUpdate(absent)),
                () -> alice.run(c -> locks.in(c).tryLock(forUpdate(absent).forever())),
                () -> alice.run(c -> locks.in(c).lockAndRead(forUpdate(absent), "select 1", Integer.class)),
                () -> whole.lock(forUpdate(absent)).inTransaction(tx -> 1),
                () -> whole.lock(forUpdate(absent))
                        .read("select 1", Integer.class)
                        .inTransaction(tx -> 1),
                () -> whole.lock(forUpdate(absent)).execute("update account set balance = 1 where id = 9"));
        for (ThrowingCallable door : doors) {
            if (looks) {
                assertThatThrownBy(door).isInstanceOf(RowAbsentException.class);
            } else {
                assertThatCode(door).doesNotThrowAnyException();
            }
            expect(List.of(absent), FOR_UPDATE, strategy, LockWait.FOREVER, refused);
            alice.rollback();
        }
        lock(alice, locks, forUpdate(List.of(A, absent)).allowAbsent());
        expect(
                List.of(A, absent),
                FOR_UPDATE,
                strategy,
                LockWait.FOREVER,
                strategy == ROW ? Outcome.ABSENT : Outcome.ACQUIRED);
    }

    /** Also where it fails before the lock statement, at the look for the primary key. */
    @EveryStrategy
    void unknownTableIsToldAsFailed(LockStrategy strategy, Session alice) throws Exception {
        RowLocks locks = locks(strategy);
        LockKey key = row("no_such_table", 1);
        assertThat(startLock(alice, locks, forUpdate(key)).failure()).isInstanceOf(LockTargetException.class);
        expect(List.of(key), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.FAILED);
        assertThatThrownBy(() ->
                        locks.on(database.dataSource()).lock(forUpdate(key)).execute("update account set balance = 1"))
                .isInstanceOf(LockTargetException.class)
                .satisfies(state("42P01"));
        expect(List.of(key), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.FAILED);
    }

    @EveryStrategy.WithKey
    void moreKeysThanTheBudgetAreToldAsFailed(LockStrategy strategy) throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(strategy)
                .lockBudget(1)
                .listener(listener)
                .build();
        assertThat(database.session("alice")
                        .start(c -> locks.in(c).lock(forUpdate(List.of(A, B))))
                        .failure())
                .isInstanceOf(LockTargetException.class);
        expect(List.of(A, B), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.FAILED);
        assertThatThrownBy(() -> locks.on(database.dataSource())
                        .lock(forUpdate(List.of(A, B)))
                        .execute("update account set balance = 1"))
                .isInstanceOf(LockTargetException.class);
        expect(List.of(A, B), FOR_UPDATE, strategy, LockWait.FOREVER, Outcome.FAILED);
    }

    @Test
    void strategyIsTheTablesAndBothWhereTheyDiffer(Session alice) throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(ROW)
                .strategy("account", ADVISORY)
                .listener(listener)
                .build();
        database.execute("create table client(id int primary key)", "insert into client values (1)");
        LockKey client = row("client", 1);
        lock(alice, locks, forUpdate(A));
        expect(List.of(A), FOR_UPDATE, ADVISORY, LockWait.FOREVER, Outcome.ACQUIRED);
        lock(alice, locks, forUpdate(client));
        expect(List.of(client), FOR_UPDATE, ROW, LockWait.FOREVER, Outcome.ACQUIRED);
        lock(alice, locks, forUpdate(List.of(client, A)));
        expect(List.of(client, A), FOR_UPDATE, BOTH, LockWait.FOREVER, Outcome.ACQUIRED);
        lock(alice, locks, forUpdate(LockKey.name("x")));
        expect(List.of(LockKey.name("x")), FOR_UPDATE, ADVISORY, LockWait.FOREVER, Outcome.ACQUIRED);
    }

    @Test
    void admissionIsToldWithItsEnd() throws Exception {
        RowLocks locks = locks(BOTH);
        locks.on(database.dataSource()).lock(forShare(List.of(B, A, B))).useTransaction(tx -> {});
        assertThat(admissions).singleElement().satisfies(told -> {
            assertThat(told.keys()).containsExactlyInAnyOrder(A, B);
            assertThat(((EndedEvent) told).mode()).isEqualTo(FOR_SHARE);
            assertThat(told.strategy()).isEqualTo(BOTH);
            assertThat(((EndedEvent) told).lockWait()).isEqualTo(LockWait.FOREVER);
            assertThat(told.outcome()).isEqualTo(Outcome.ADMITTED);
            assertThat(told.took()).isPositive();
        });
        expect(List.of(B, A), FOR_SHARE, BOTH, LockWait.FOREVER, Outcome.ACQUIRED);
        admissions.clear();

        Thread.currentThread().interrupt();
        assertThatThrownBy(
                        () -> locks.on(database.dataSource()).lock(forUpdate(A)).useTransaction(tx -> {}))
                .isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(admissions).singleElement().satisfies(told -> {
            assertThat(told.keys()).containsExactly(A);
            assertThat(told.outcome()).isEqualTo(Outcome.REFUSED);
        });
        assertThat(acquisitions).isEmpty();
    }

    @EveryStrategy
    void listenerThatThrowsIsLoggedAndDoesNotTouchTheLock(LockStrategy strategy, Session alice, Session bob)
            throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(strategy)
                .listener(event -> {
                    if (event.kind() == Kind.HOLD) {
                        throw new LinkageError("on purpose");
                    }
                    throw new IllegalStateException("on purpose");
                })
                .build();
        try (CapturedLog log = CapturedLog.of("org.rowlock")) {
            assertThat(lock(alice, locks, forUpdate(A)).isHeld()).isTrue();
            boolean had = tryLock(bob, locks, forUpdate(A));
            assertThat(had).isFalse();
            alice.commit();
            bob.commit();
            ObservedDataSource dataSource = new ObservedDataSource(database.dataSource());
            int result = locks.on(dataSource).lock(forUpdate(A)).inTransaction(tx -> 7);
            assertThat(result).isEqualTo(7);
            assertThat(dataSource.open()).isZero();
            assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
            assertThat(log.records()).hasSize(5).allSatisfy(record -> {
                assertThat(record.getLevel()).isEqualTo(Level.WARNING);
                assertThat(record.getThrown()).hasMessage("on purpose");
            });
        }
    }

    /** Its text, and the logger, are the caller's code as well. */
    @ParameterizedTest
    @EnumSource
    void listenerWhoseFailureCannotBeLoggedTouchesNothingEither(Kind told) throws Exception {
        RowLocks locks = LockAccess.builder()
                .listener(event -> {
                    if (event.kind() == told) {
                        throw new IllegalStateException("on purpose");
                    }
                })
                .build();
        Logger logger = Logger.getLogger("org.rowlock");
        logger.setFilter(record -> {
            throw new AssertionError("not to be logged");
        });
        ObservedDataSource dataSource = new ObservedDataSource(database.dataSource());
        try {
            int result = locks.on(dataSource).lock(forUpdate(A)).inTransaction(tx -> 7);
            assertThat(result).isEqualTo(7);
        } finally {
            logger.setFilter(null);
        }
        assertThat(dataSource.open()).isZero();
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
    }
}
