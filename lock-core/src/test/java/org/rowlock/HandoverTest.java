package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forKeyShare;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.RowLockMode.FOR_KEY_SHARE;
import static org.rowlock.RowLockMode.FOR_SHARE;
import static org.rowlock.RowLockMode.FOR_UPDATE;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.rowlock.testing.Held;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** REPEATABLE READ and SERIALIZABLE: a lock in front of the transaction makes it read fresh, a later one is no trap. */
@Tag("long")
class HandoverTest {
    private static final LockKey KEY = row("account", 1);
    private static final List<LockKey> KEYS = LockKey.rows("account", List.of(3, 1, 2));
    private static final LockWait BRIEFLY = LockWait.atMost(Duration.ofMillis(20));
    private static final RowMapper<Long> BALANCE = row -> row.getLong(1);
    private static final String READ = "select balance from account where id = 1";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance bigint not null default 0)",
            "insert into account select g from generate_series(1, 9) g");

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

    static Stream<Arguments> handedOver() {
        return Stream.of(Isolation.values())
                .flatMap(isolation -> Stream.of(LockStrategy.ADVISORY, LockStrategy.BOTH)
                        .map(strategy -> Arguments.of(isolation, strategy)));
    }

    private static RowLocks locks(LockStrategy strategy) {
        return RowLocks.builder().strategy(strategy).build();
    }

    private Session session(String name, Isolation isolation) throws SQLException {
        Session session = database.session(name);
        session.connection().setTransactionIsolation(isolation.level);
        return session;
    }

    private static long balance(Connection connection) throws SQLException {
        return Long.parseLong(text(connection, READ));
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Nothing is locked, and the transaction is aborted as after any failed lock: what follows does not commit. */
    private static void assertAborted(Session session, Isolation isolation) throws Exception {
        assertThat(session.advisoryLocks()).isZero();
        assertThatThrownBy(() -> session.execute("insert into account values (77, 0)"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25P02"));
        session.rollback();
        assertAsBefore(session, isolation);
    }

    /** Nothing is locked, the server has no transaction open, and the next one is of the level that the caller set. */
    private static void assertAsBefore(Session session, Isolation isolation) throws Exception {
        assertThat(session.advisoryLocks()).isZero();
        session.run(c -> {
            assertThat(c.unwrap(BaseConnection.class).getTransactionState()).isEqualTo(TransactionState.IDLE);
            assertThat(text(c, "show transaction_isolation")).isEqualTo(isolation.sql);
            assertThat(text(c, "show lock_timeout")).isEqualTo("0");
            c.rollback();
            assertThat(text(c, "show transaction_isolation")).isEqualTo(isolation.sql);
            c.rollback();
            return null;
        });
    }

    /** Waits behind a writer, and then reads what the writer committed. */
    private void assertWaitsAndReadsFresh(Isolation isolation, Session.Body<Long> lockAndRead) throws Exception {
        Session writer = database.session("writer");
        Session reader = session("reader", isolation);
        writer.run(c -> locks(LockStrategy.BOTH).in(c).lock(forUpdate(KEY)));
        Step<Long> step = reader.start(lockAndRead).awaitBlockedBy(writer);
        writer.execute("update account set balance = balance + 5 where id = 1");
        writer.commit();
        assertThat(step.get()).isEqualTo(5);
        // A transaction of the caller's level, which holds the lock once and ends it with itself.
        reader.run(c -> assertThat(text(c, "show transaction_isolation")).isEqualTo(isolation.sql));
        assertThat(reader.advisoryLocks()).isPositive();
        assertThat((boolean) writer.run(c -> locks(LockStrategy.ADVISORY)
                        .in(c)
                        .tryLock(forUpdate(KEY))
                        .isLocked()))
                .isFalse();
        reader.commit();
        assertAsBefore(reader, isolation);
        assertThat((boolean) writer.run(c -> locks(LockStrategy.ADVISORY)
                        .in(c)
                        .tryLock(forUpdate(KEY))
                        .isLocked()))
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void lockWaitsAndThenReadsFresh(Isolation isolation, LockStrategy strategy) throws Exception {
        assertWaitsAndReadsFresh(isolation, c -> {
            LockResult result = locks(strategy).in(c).lock(forUpdate(KEY));
            assertThat(result)
                    .extracting(Held::of)
                    .isEqualTo(strategy == LockStrategy.BOTH ? Held.KEY_AND_ROW_LOCKED : Held.KEY_LOCKED);
            return balance(c);
        });
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void sharedLockWaitsAndThenReadsFresh(Isolation isolation, LockStrategy strategy) throws Exception {
        assertWaitsAndReadsFresh(isolation, c -> {
            locks(strategy).in(c).lock(forShare(KEY));
            return balance(c);
        });
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void lockAllWaitsAndThenReadsFresh(Isolation isolation, LockStrategy strategy) throws Exception {
        assertWaitsAndReadsFresh(isolation, c -> {
            assertThat(locks(strategy).in(c).lock(forUpdate(KEYS)).absentRows()).isEmpty();
            return balance(c);
        });
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void sharedLockAllWithABoundWaitsAndThenReadsFresh(Isolation isolation, LockStrategy strategy) throws Exception {
        assertWaitsAndReadsFresh(isolation, c -> {
            locks(strategy).in(c).lock(forKeyShare(KEYS).atMost(TestDatabase.DEADLINE));
            return balance(c);
        });
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void lockAndQueryWaitsAndThenReadsFresh(Isolation isolation, LockStrategy strategy) throws Exception {
        assertWaitsAndReadsFresh(
                isolation,
                c -> locks(strategy)
                        .in(c)
                        .lockAndQuery(
                                forUpdate(KEY), LockedQuery.of("select balance from account where id = ?", BALANCE, 1))
                        .get(0));
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void lockAndQueryWithABoundWaitsAndThenReadsFresh(Isolation isolation, LockStrategy strategy) throws Exception {
        assertWaitsAndReadsFresh(
                isolation,
                c -> locks(strategy)
                        .in(c)
                        .lockAndQuery(forShare(KEY).atMost(TestDatabase.DEADLINE), LockedQuery.of(READ, BALANCE))
                        .get(0));
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void sharedLocksShare(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        Session bob = session("bob", isolation);
        alice.run(c -> locks(strategy).in(c).lock(forShare(KEY)));
        assertThat((boolean) bob.run(
                        c -> locks(strategy).in(c).tryLock(forShare(KEY)).isLocked()))
                .isTrue();
        assertThat((boolean) bob.run(c -> {
                    c.rollback();
                    return locks(strategy).in(c).tryLock(forUpdate(KEY)).isLocked();
                }))
                .isFalse();
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void oneHoldThatEndsWithTheTransaction(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        for (boolean commit : List.of(true, false)) {
            alice.run(c -> locks(strategy).in(c).lock(forUpdate(KEY)));
            assertThat(alice.advisoryLocks()).isOne();
            // A session lock would be there to unlock.
            alice.run(c -> assertThat(text(c, "select pg_advisory_unlock('account'::regclass::oid::int4, 1)"))
                    .isEqualTo("f"));
            assertThat(alice.advisoryLocks()).isOne();
            if (commit) {
                alice.commit();
            } else {
                alice.rollback();
            }
            assertAsBefore(alice, isolation);
        }
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void manyKeysAreHeldOnceEach(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        List<LockKey> keys = List.of(
                row("account", 2),
                LockKey.name("a"),
                LockKey.name("a"),
                LockKey.number(-7),
                LockKey.pair(-1, 5),
                row("account", 2));
        alice.run(c -> locks(strategy).in(c).lock(forUpdate(keys)));
        assertThat(alice.advisoryLocks()).isEqualTo(4);
        alice.commit();
        assertAsBefore(alice, isolation);
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void eachKeyIsHandedOverInItsMode(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        Session bob = database.session("bob");
        Map<LockKey, RowLockMode> modes = Map.of(
                row("account", 1), FOR_UPDATE,
                row("account", 2), FOR_SHARE,
                LockKey.name("a"), FOR_KEY_SHARE,
                LockKey.number(-7), FOR_UPDATE);
        for (LockWait wait : List.of(LockWait.forever(), LockWait.noWait(), LockWait.atMost(TestDatabase.DEADLINE))) {
            alice.run(c -> locks(strategy).in(c).lock(Requests.of(modes).waiting(wait)));
            assertThat(alice.advisoryLocks()).isEqualTo(4);
            modes.forEach((key, mode) -> {
                assertThat(tryLock(bob, strategy, key, FOR_UPDATE)).isFalse();
                assertThat(tryLock(bob, strategy, key, FOR_SHARE)).isEqualTo(mode.isShared());
            });
            bob.rollback();
            alice.commit();
            assertAsBefore(alice, isolation);
        }
        bob.run(c -> locks(strategy).in(c).lock(forUpdate(row("account", 2))));
        assertThatThrownBy(() -> alice.run(
                        c -> locks(strategy).in(c).lock(Requests.of(modes).waiting(BRIEFLY))))
                .isInstanceOf(LockNotAvailableException.class);
        assertAsBefore(alice, isolation);
    }

    /** The keys are the same as before, and it is the modes that have changed places with the tables. */
    @ParameterizedTest
    @MethodSource("handedOver")
    void tablesThatChangePlacesDuringTheWaitAreLockedAsTheyAreThen(Isolation isolation, LockStrategy strategy)
            throws Exception {
        database.execute(
                "create table one(id int primary key)",
                "create table two(id int primary key)",
                "insert into one values (1)",
                "insert into two values (1)");
        LockKey gate = LockKey.name("gate");
        Map<LockKey, RowLockMode> modes = Map.of(row("one", 1), FOR_SHARE, row("two", 1), FOR_UPDATE, gate, FOR_UPDATE);
        Session alice = session("alice", isolation);
        Session bob = database.session("bob");
        bob.run(c -> locks(strategy).in(c).lock(forUpdate(gate)));
        Step<?> step =
                alice.start(c -> locks(strategy).in(c).lock(Requests.of(modes))).awaitBlockedBy(bob);
        Session admin = database.session("admin");
        Step<?> swap = admin.startExecute(
                        "lock table one, two in access exclusive mode; alter table one rename to three;"
                                + " alter table two rename to one; alter table three rename to two; commit")
                .awaitBlockedBy(alice);

        bob.commit();

        swap.get();
        step.get();
        assertThat(tryLock(bob, strategy, row("one", 1), FOR_SHARE)).isTrue();
        assertThat(tryLock(bob, strategy, row("two", 1), FOR_SHARE)).isFalse();
    }

    private static boolean tryLock(Session session, LockStrategy strategy, LockKey key, RowLockMode mode) {
        try {
            return session.run(c ->
                    locks(strategy).in(c).tryLock(LockRequest.of(mode, key)).isLocked());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Two keys that are one lock on the server: the hold counts twice in the session, and must be let go of twice. */
    @ParameterizedTest
    @MethodSource("handedOver")
    void keysThatCollideAreLetGoOf(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        long number = Long.parseLong(database.query("select ('x' || substr(md5('a'), 1, 16))::bit(64)::bigint"));
        alice.run(c -> locks(strategy).in(c).lock(forUpdate(List.of(LockKey.name("a"), LockKey.number(number)))));
        assertThat(alice.advisoryLocks()).isOne();
        alice.commit();
        assertAsBefore(alice, isolation);
    }

    /** A session lock that the application itself holds is its own affair, and stays. */
    @ParameterizedTest
    @MethodSource("handedOver")
    void sessionLocksOfTheApplicationStay(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        Session bob = database.session("bob");
        alice.execute("select pg_advisory_lock(77)");
        alice.commit();
        alice.run(c -> locks(strategy).in(c).lock(forUpdate(LockKey.number(77))));
        alice.commit();
        assertThat(alice.advisoryLocks()).isOne();
        bob.run(c -> locks(strategy).in(c).lock(forUpdate(LockKey.number(78))));
        assertThat((boolean) alice.run(c -> locks(strategy)
                        .in(c)
                        .tryLock(forUpdate(List.of(LockKey.number(77), LockKey.number(78))))
                        .isLocked()))
                .isFalse();
        assertThat(alice.advisoryLocks()).isOne();
        alice.execute("select pg_advisory_unlock(77)");
        alice.commit();
        assertAsBefore(alice, isolation);
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void notAvailableLeavesTheTransactionNotBegun(Isolation isolation, LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Session bob = database.session("bob");
        bob.run(c -> locks.in(c).lock(forUpdate(row("account", 2))));
        LockKey taken = row("account", 2);
        for (LockWait wait : List.of(LockWait.noWait(), BRIEFLY)) {
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks.in(c).lock(forUpdate(taken).waiting(wait)),
                    c -> locks.in(c).lock(forShare(taken).waiting(wait)),
                    c -> locks.in(c).lock(forUpdate(KEYS).waiting(wait)),
                    c -> locks.in(c).lock(forShare(KEYS).waiting(wait)),
                    c -> locks.in(c).lockAndQuery(forUpdate(taken).waiting(wait), LockedQuery.of(READ, BALANCE)))) {
                Session alice = session("alice", isolation);
                assertThatThrownBy(() -> alice.run(body))
                        .isInstanceOf(LockNotAvailableException.class)
                        .hasMessageContaining("transaction is usable");
                assertAsBefore(alice, isolation);
                // And so the next lock is handed over again.
                alice.run(c -> locks.in(c).lock(forUpdate(KEY)));
                alice.rollback();
                alice.close();
            }
        }
    }

    /** The advisory lock is free, and the row lock behind it is not. */
    @ParameterizedTest
    @EnumSource
    void rowLockThatIsNotAvailableLetsGoOfTheKey(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        Session plain = database.session("plain");
        plain.execute("select 1 from account where id = 1 for update");
        for (LockWait wait : List.of(LockWait.noWait(), BRIEFLY)) {
            Session alice = session("alice", isolation);
            assertThatThrownBy(
                            () -> alice.run(c -> locks.in(c).lock(forUpdate(KEY).waiting(wait))))
                    .isInstanceOf(LockNotAvailableException.class);
            assertAsBefore(alice, isolation);
            alice.close();
        }
    }

    /** The wait for the row lock is in the transaction, so here the server finds the stale snapshot. */
    @ParameterizedTest
    @EnumSource
    void rowLockBehindTheHandoverNeverReadsStale(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        Session plain = database.session("plain");
        plain.execute("update account set balance = 5 where id = 1");
        Session alice = session("alice", isolation);
        Step<LockResult> step =
                alice.start(c -> locks.in(c).lock(forUpdate(KEY))).awaitBlockedBy(plain);
        plain.commit();
        assertThat(step.failure()).isInstanceOf(LockSerializationException.class);
        assertAborted(alice, isolation);
        List<Long> fresh = alice.run(c -> locks.in(c).lockAndQuery(forUpdate(KEY), LockedQuery.of(READ, BALANCE)));
        assertThat(fresh).containsExactly(5L);
    }

    /** Of a holder without the key, as with ROW: what it wrote beside the row is not seen. */
    @ParameterizedTest
    @EnumSource
    void behindARowLockAloneOtherRowsAreReadOld(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        Session plain = database.session("plain");
        plain.execute("select from account where id = 1 for update");
        plain.execute("update account set balance = 5 where id = 2");
        Session alice = session("alice", isolation);
        Step<LockResult> step =
                alice.start(c -> locks.in(c).lock(forUpdate(KEY))).awaitBlockedBy(plain);
        plain.commit();
        assertThat(step.get().isLocked()).isTrue();
        alice.run(c ->
                assertThat(text(c, "select balance from account where id = 2")).isEqualTo("0"));
    }

    @ParameterizedTest
    @EnumSource
    void advisoryIsRefusedOnceTheTransactionHasBegun(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        Session alice = session("alice", isolation);
        alice.execute("select count(*) from account");
        for (LockWait wait : List.of(LockWait.forever(), LockWait.noWait(), BRIEFLY)) {
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks.in(c).lock(forUpdate(KEY).waiting(wait)),
                    c -> locks.in(c).lock(forShare(KEY).waiting(wait)),
                    c -> locks.in(c).lock(forUpdate(LockKey.name("nightly")).waiting(wait)))) {
                assertRefused(alice, body);
                // The same transaction, and still usable.
                alice.execute("select count(*) from account");
            }
        }
        alice.execute("update account set balance = 9 where id = 9");
        alice.commit();
        assertThat(database.query("select balance from account where id = 9")).isEqualTo("9");
    }

    /** Where statements follow in the round trip the refusal must raise, unless a savepoint can undo it. */
    @ParameterizedTest
    @EnumSource
    void advisoryIsRefusedInEveryForm(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        for (LockWait wait : List.of(LockWait.forever(), LockWait.noWait(), BRIEFLY)) {
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks.in(c).lock(forUpdate(KEYS).waiting(wait)),
                    c -> locks.in(c).lockAndQuery(forUpdate(KEY).waiting(wait), LockedQuery.of(READ, BALANCE)),
                    c -> locks.in(c).claim(Claim.from("account"), BALANCE))) {
                Session alice = session("alice", isolation);
                alice.execute("select count(*) from account");
                assertRefused(alice, body);
                if (wait != LockWait.forever()) {
                    alice.execute("select count(*) from account");
                }
                alice.rollback();
                assertAsBefore(alice, isolation);
                alice.close();
            }
        }
    }

    private static void assertRefused(Session alice, Session.Body<?> body) throws Exception {
        LockTransactionException refusal = catchThrowableOfType(LockTransactionException.class, () -> alice.run(body));
        assertThat(refusal).isNotNull();
        assertThat(refusal.sqlState()).contains("25001");
        assertThat(refusal).hasMessageContaining("READ COMMITTED").hasMessageContaining("BOTH");
        assertThat(alice.advisoryLocks()).isZero();
    }

    /** A savepoint begins the transaction, and so does SET TRANSACTION: to hand over would undo either silently. */
    @ParameterizedTest
    @EnumSource
    void whatBeginsTheTransactionIsNotUndoneSilently(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        Session alice = session("alice", isolation);
        alice.run(Connection::setSavepoint);
        assertRefused(alice, c -> locks.in(c).lock(forUpdate(KEY)));
        alice.rollback();
        Session bob = database.session("bob");
        bob.execute("set transaction isolation level " + isolation.sql);
        assertRefused(bob, c -> locks.in(c).lock(forUpdate(KEY)));
        bob.rollback();
        // That level was of the one transaction.
        LockResult result = bob.run(c -> locks.in(c).lock(forUpdate(KEY)));
        assertThat(result).extracting(Held::of).isEqualTo(Held.KEY_LOCKED);
    }

    @ParameterizedTest
    @EnumSource
    void bothAndRowAreAllowedOnceTheTransactionHasBegun(Isolation isolation) throws Exception {
        for (LockStrategy strategy : List.of(LockStrategy.BOTH, LockStrategy.ROW)) {
            Session alice = session("alice", isolation);
            alice.execute("select count(*) from account");
            LockResult one = alice.run(c -> locks(strategy).in(c).lock(forUpdate(KEY)));
            assertThat(one.isLocked()).isTrue();
            LockResult several = alice.run(c -> locks(strategy).in(c).lock(forUpdate(KEYS)));
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
                    c -> locks(strategy).in(c).lockAndQuery(forUpdate(KEY), LockedQuery.of(READ, BALANCE)))) {
                Session alice = session("alice", isolation);
                alice.execute("select count(*) from account");
                database.execute("update account set balance = balance + 1 where id = 1");
                LockSerializationException failure =
                        catchThrowableOfType(LockSerializationException.class, () -> alice.run(body));
                assertThat(failure).as(strategy.name()).isNotNull();
                assertThat(failure.sqlState()).contains("40001");
                alice.rollback();
                assertAsBefore(alice, isolation);
                alice.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRowInsertedSinceTheSnapshotIsRefused(Isolation isolation) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks.in(c).lock(forUpdate(row("account", 50))),
                c -> locks.in(c).lock(forUpdate(LockKey.rows("account", List.of(1, 50)))))) {
            Session alice = session("alice", isolation);
            alice.execute("select count(*) from account");
            database.execute("insert into account values (50, 7)");
            LockTransactionException refusal =
                    catchThrowableOfType(LockTransactionException.class, () -> alice.run(body));
            assertThat(refusal).isNotNull();
            assertThat(refusal.sqlState()).contains("25001");
            assertThat(refusal).hasMessageContaining("inserted since");
            alice.rollback();
            assertAsBefore(alice, isolation);
            database.execute("delete from account where id = 50");
            alice.close();
        }
    }

    /** "No lock was taken", says the exception; so none is. */
    @ParameterizedTest
    @EnumSource
    void aRefusedAbsentRowLeavesNoLock(Isolation isolation) throws Exception {
        Session alice = session("alice", isolation);
        alice.execute("select count(*) from account");
        assertThatThrownBy(() -> alice.run(c -> locks(LockStrategy.BOTH).in(c).lock(forUpdate(row("account", 50)))))
                .isInstanceOf(LockTransactionException.class);
        assertThat(alice.advisoryLocks()).isZero();
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void aRowThatDoesNotExistYetIsLockedInFrontOfTheTransaction(Isolation isolation, LockStrategy strategy)
            throws Exception {
        Session alice = session("alice", isolation);
        LockResult result = alice.run(c -> locks(strategy).in(c).lock(forUpdate(row("account", 50))));
        assertThat(result)
                .extracting(Held::of)
                .isEqualTo(strategy == LockStrategy.BOTH ? Held.KEY_LOCKED_ROW_ABSENT : Held.KEY_LOCKED);
        alice.execute("insert into account values (50)");
        alice.commit();
        assertAsBefore(alice, isolation);
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void cancelDuringTheWaitLeavesNothing(Isolation isolation, LockStrategy strategy) throws Exception {
        Session bob = database.session("bob");
        bob.run(c -> locks(strategy).in(c).lock(forUpdate(row("account", 2))));
        Session alice = session("alice", isolation);
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks(strategy).in(c).lock(forUpdate(row("account", 2))),
                c -> locks(strategy).in(c).lock(forShare(KEYS).atMost(TestDatabase.DEADLINE)))) {
            Step<?> step = alice.start(body).awaitBlockedBy(bob);
            alice.cancel();
            assertThat(step.failure()).isInstanceOf(LockCanceledException.class);
            assertAborted(alice, isolation);
        }
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void statementTimeoutDuringTheWaitLeavesNothing(Isolation isolation, LockStrategy strategy) throws Exception {
        Session bob = database.session("bob");
        bob.run(c -> locks(strategy).in(c).lock(forUpdate(row("account", 2))));
        Session alice = session("alice", isolation);
        alice.execute("set statement_timeout = '200ms'");
        alice.commit();
        assertThatThrownBy(() -> alice.run(c -> locks(strategy).in(c).lock(forUpdate(KEYS))))
                .isInstanceOf(LockCanceledException.class);
        assertAborted(alice, isolation);
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void lockTimeoutOfTheSessionEndsTheWaitAndLeavesNothing(Isolation isolation, LockStrategy strategy)
            throws Exception {
        Session bob = database.session("bob");
        bob.run(c -> locks(strategy).in(c).lock(forUpdate(row("account", 2))));
        Session alice = session("alice", isolation);
        alice.execute("set lock_timeout = '20ms'");
        alice.commit();
        assertThatThrownBy(() -> alice.run(c -> locks(strategy).in(c).lock(forUpdate(KEYS))))
                .isInstanceOf(LockNotAvailableException.class)
                .hasMessageContaining("lock_timeout");
        assertThatThrownBy(() -> alice.execute("insert into account values (77, 0)"))
                .hasMessageContaining("current transaction is aborted");
        alice.rollback();
        alice.execute("reset lock_timeout");
        alice.commit();
        assertAsBefore(alice, isolation);
    }

    /** A bound does not change the session's own, neither while the lock is held nor afterwards. */
    @ParameterizedTest
    @MethodSource("handedOver")
    void lockTimeoutOfTheSessionComesBackWordForWord(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        alice.execute("set lock_timeout = '61s'");
        alice.commit();
        alice.run(c -> locks(strategy).in(c).lock(forUpdate(KEY).atMost(TestDatabase.DEADLINE)));
        alice.run(c -> assertThat(text(c, "show lock_timeout")).isEqualTo("61s"));
        alice.commit();
        alice.run(c -> assertThat(text(c, "show lock_timeout")).isEqualTo("61s"));
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void deadlockLeavesNothing(Isolation isolation, LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Session alice = session("alice", isolation);
        Session bob = database.session("bob");
        for (Session session : List.of(alice, bob)) {
            session.execute("set deadlock_timeout = '" + (session == alice ? "300ms" : "3s") + "'");
            session.commit();
        }
        bob.run(c -> locks.in(c).lock(forUpdate(row("account", 2))));
        Step<?> alices = alice.start(c -> locks.in(c).lock(forUpdate(LockKey.rows("account", List.of(1, 2)))))
                .awaitBlockedBy(bob);
        Step<?> bobs = bob.start(c -> locks.in(c).lock(forUpdate(KEY)));
        // Whoever looks first is the one to end, most likely alice.
        int deadlocks = 0;
        for (Step<?> step : List.of(alices, bobs)) {
            try {
                step.get();
            } catch (LockDeadlockException e) {
                deadlocks++;
                (step == alices ? alice : bob).rollback();
            }
        }
        assertThat(deadlocks).isOne();
        alice.rollback();
        bob.rollback();
        assertAsBefore(alice, isolation);
        assertThat(bob.advisoryLocks()).isZero();
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void terminationDuringTheWaitLeavesNothing(Isolation isolation, LockStrategy strategy) throws Exception {
        Session bob = database.session("bob");
        bob.run(c -> locks(strategy).in(c).lock(forUpdate(row("account", 2))));
        Session alice = session("alice", isolation);
        Step<?> step =
                alice.start(c -> locks(strategy).in(c).lock(forUpdate(KEYS))).awaitBlockedBy(bob);
        alice.terminate();
        RowlockException failure = (RowlockException) step.failure();
        assertThat(failure).isInstanceOf(LockConnectionLostException.class);
        assertThat(failure.sqlState().orElseThrow()).matches("57P01|08.*");
        assertThat(alice.advisoryLocks()).isZero();
        assertThat((boolean) bob.run(
                        c -> locks(strategy).in(c).tryLock(forUpdate(KEYS)).isLocked()))
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void aFailingQueryBehindTheLockLeavesNothing(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        for (String sql : List.of("select 1 / (balance - balance) from account", "select nothing from account")) {
            assertThatThrownBy(() -> alice.run(
                            c -> locks(strategy).in(c).lockAndQuery(forUpdate(KEY), LockedQuery.of(sql, BALANCE))))
                    .isInstanceOf(SQLException.class);
            alice.rollback();
            assertAsBefore(alice, isolation);
        }
        assertThatThrownBy(() ->
                        alice.run(c -> locks(strategy).in(c).lockAndQuery(forUpdate(KEY), LockedQuery.of(READ, row -> {
                            throw new IllegalStateException("mapper");
                        }))))
                .hasMessage("mapper");
        alice.rollback();
        assertAsBefore(alice, isolation);
        assertThatThrownBy(() -> alice.run(c -> locks(strategy)
                        .in(c)
                        .lockAndQuery(
                                forUpdate(KEY), LockedQuery.of("select balance from account where id = ?", BALANCE))))
                .isInstanceOf(IllegalArgumentException.class);
        alice.rollback();
        assertAsBefore(alice, isolation);
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void aLockFromBeforeASavepointOutlivesIt(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = session("alice", isolation);
        alice.run(c -> locks(strategy).in(c).lock(forUpdate(KEY)));
        alice.run(c -> {
            Savepoint savepoint = c.setSavepoint();
            assertThatThrownBy(() -> text(c, "select 1 / 0")).isInstanceOf(SQLException.class);
            c.rollback(savepoint);
            return null;
        });
        assertThat(alice.advisoryLocks()).isOne();
        alice.commit();
        assertAsBefore(alice, isolation);
    }

    @ParameterizedTest
    @MethodSource("handedOver")
    void theLevelMayComeFromTheSessionsDefaults(Isolation isolation, LockStrategy strategy) throws Exception {
        Session alice = database.session("alice");
        alice.execute("set default_transaction_isolation = '" + isolation.sql + "'");
        alice.execute("set default_transaction_deferrable = on");
        alice.commit();
        alice.run(c -> {
            locks(strategy).in(c).lock(forUpdate(KEY));
            assertThat(text(c, "show transaction_isolation")).isEqualTo(isolation.sql);
            assertThat(text(c, "show transaction_deferrable")).isEqualTo("on");
            assertThat(text(c, "show transaction_read_only")).isEqualTo("off");
            return null;
        });
        alice.commit();
        assertAsBefore(alice, isolation);
        alice.run(c -> assertThat(text(c, "show transaction_deferrable")).isEqualTo("on"));
    }

    @Test
    void aTransactionInFrontIsNotTouched() throws Exception {
        Session alice = session("alice", Isolation.REPEATABLE_READ);
        alice.execute("update account set balance = 3 where id = 3");
        alice.commit();
        alice.run(c -> locks(LockStrategy.ADVISORY).in(c).lock(forUpdate(KEY)));
        alice.execute("update account set balance = 4 where id = 4");
        alice.rollback();
        assertThat(database.query("select sum(balance) from account")).isEqualTo("3");
    }
}
