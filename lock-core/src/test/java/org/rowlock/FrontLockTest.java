package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Refusals.state;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.core.TransactionState;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.Held;
import org.rowlock.testing.Locks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** The advisory key in front of a first lock of ROW: of which locks, and that nobody waits or fails for it. */
class FrontLockTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final LockKey ROW = LockKey.row("account", 1);
    private static final LockKey OTHER = LockKey.row("account", 2);

    /** A row whose key in front a test takes alone. */
    private static final LockKey KEYED = LockKey.row("account", 9);

    private static final LockKey ABSENT = LockKey.row("account", 7);
    private static final LockKey OTHER_ABSENT = LockKey.row("account", 8);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null default 0)",
            "insert into account values (1), (2), (9)");

    /** Calls that may all go to the server, with a key in front wherever that may be, waited for so long. */
    private static LockCalls calls(Duration bound, LockFront front) {
        return calls(new FixedWidth(100, bound.toNanos()), front);
    }

    private static LockCalls calls(QueuePolicy policy, LockFront front) {
        return Locks.calls(LockStrategy.ROW, new KeyQueues(() -> policy), front);
    }

    private static LockCalls calls(Duration bound) {
        return calls(bound, LockFront.ADAPTIVE);
    }

    private static Held lock(Session session, LockCalls calls, LockRequest request) throws Exception {
        return start(session, calls, request).get();
    }

    private static Step<Held> start(Session session, LockCalls calls, LockRequest request) {
        return session.start(connection -> Held.of(new TransactionLocks(connection, calls).lock(request)));
    }

    /** Whether a lock leaves an advisory lock behind. */
    private boolean fronts(LockCalls calls, LockRequest request, String... before) throws Exception {
        Session session = database.session("one");
        for (String sql : before) {
            session.execute(sql);
        }
        lock(session, calls, request);
        boolean fronts = session.advisoryLocks() > 0;
        session.rollback();
        assertThat(session.advisoryLocks()).isZero();
        return fronts;
    }

    @Test
    void onlyTheFirstLockOfATransactionOfOneRowExclusivelyWithAWaitIsFronted(Session session) throws Exception {
        LockCalls calls = calls(LONG);
        assertThat(fronts(calls, forUpdate(ROW))).isTrue();
        assertThat(fronts(calls, forNoKeyUpdate(ROW))).isTrue();
        assertThat(fronts(calls, forUpdate(ROW).atMost(LONG))).isTrue();
        assertThat(fronts(calls, forUpdate(ROW).noWait())).isFalse();
        assertThat(fronts(calls, forShare(ROW))).isFalse();
        assertThat(fronts(calls, forUpdate(List.of(ROW, OTHER)))).isFalse();
        assertThat(fronts(calls, forUpdate(ROW), "select 1")).isFalse();
        assertThat(fronts(calls, forUpdate(ROW), "set transaction isolation level repeatable read"))
                .isFalse();
        assertThat(fronts(calls(LONG, LockFront.NEVER), forUpdate(ROW))).isFalse();
        lock(session, calls, forUpdate(ROW));
        lock(session, calls, forUpdate(OTHER));
        assertThat(session.advisoryLocks()).isOne();
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void aSnapshotOfTheTransactionIsNotTakenInFrontOfAWait(int isolation, Session session) throws Exception {
        session.connection().setTransactionIsolation(isolation);
        assertThat(lock(session, calls(LONG), forUpdate(ROW))).isEqualTo(Held.ROW_LOCKED);
        assertThat(session.advisoryLocks()).isZero();
    }

    @Test
    void waitersStandBehindTheKeyInTheirOrderAndTheRowIsLockedToo(
            Session holder, Session first, Session second, Session plain) throws Exception {
        LockCalls calls = calls(LONG);
        lock(holder, calls, forUpdate(ROW));
        Step<Held> firsts = start(first, calls, forUpdate(ROW));
        firsts.awaitBlockedBy(holder);
        Step<Held> seconds = start(second, calls, forUpdate(ROW));
        seconds.awaitBlockedBy(holder, first);
        assertThat(database.query("select count(*) from pg_locks where locktype = 'advisory' and not granted"))
                .isEqualTo("2");
        Step<Boolean> plains = plain.startExecute("select * from account where id = 1 for update");
        plains.awaitBlockedBy(holder);
        holder.commit();
        // The server gives the row to plain, or to the one that has the key, whichever wakes first.
        Map<Session, Step<?>> waiting = new LinkedHashMap<>(Map.of(first, firsts, second, seconds, plain, plains));
        List<Session> passed = new ArrayList<>();
        while (!waiting.isEmpty()) {
            TestDatabase.await().until(() -> waiting.values().stream().anyMatch(Step::isDone));
            Session next = waiting.keySet().stream()
                    .filter(session -> waiting.get(session).isDone())
                    .findFirst()
                    .orElseThrow();
            waiting.remove(next);
            for (Step<?> step : waiting.values()) {
                step.awaitBlockedBy(first, second, plain);
            }
            next.commit();
            passed.add(next);
        }
        plains.get();
        assertThat(firsts.get()).isEqualTo(Held.ROW_LOCKED);
        assertThat(seconds.get()).isEqualTo(Held.ROW_LOCKED);
        assertThat(passed).containsSubsequence(first, second);
    }

    /** The first case by which a lock that is taken only sometimes could deadlock. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theHolderTouchesTheRowAgainWhileAnotherWaitsWithItsKey(boolean fronted, Session holder, Session waiter)
            throws Exception {
        LockCalls calls = calls(LONG);
        lock(holder, fronted ? calls : calls(LONG, LockFront.NEVER), forUpdate(ROW));
        Step<Held> waiters = start(waiter, calls, forUpdate(ROW));
        waiters.awaitBlockedBy(holder);
        assertThat(lock(holder, calls, forUpdate(ROW))).isEqualTo(Held.ROW_LOCKED);
        holder.commit();
        assertThat(waiters.get()).isEqualTo(Held.ROW_LOCKED);
        waiter.commit();
    }

    /** The second: who has the key and no row waits for a row of one that wants the key. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void behindALockOfNoRowNobodyStandsInACircle(boolean fronted, Session absent, Session other) throws Exception {
        LockCalls calls = calls(LONG);
        lock(other, fronted ? calls : calls(LONG, LockFront.NEVER), forUpdate(OTHER));
        takeKeyAlone(absent);
        Step<Held> step = start(absent, calls, forUpdate(OTHER));
        step.awaitBlockedBy(other);
        lock(other, calls, forUpdate(KEYED));
        other.commit();
        assertThat(step.get()).isEqualTo(Held.ROW_LOCKED);
        absent.commit();
    }

    /** FOR UPDATE waits for no row that it does not see, so two sessions cannot stand in a circle of such rows. */
    @Test
    void rowsThatAreNotThereAreWaitedForInNoOrder(Session one, Session other) throws Exception {
        LockCalls calls = calls(LONG);
        assertThat(lock(one, calls, forUpdate(ABSENT).allowAbsent())).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        assertThat(lock(other, calls, forUpdate(OTHER_ABSENT).allowAbsent())).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        assertThat(lock(one, calls, forUpdate(OTHER_ABSENT).allowAbsent())).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        assertThat(lock(other, calls, forUpdate(ABSENT).allowAbsent())).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        assertThat(one.advisoryLocks()).isZero();
        assertThat(other.advisoryLocks()).isZero();
        one.commit();
        other.commit();
    }

    /** What the session holds by itself is no part of a circle either. */
    @Test
    void aRowThatIsNotThereIsNotWaitedForByOneThatHoldsALockOfItsSession(Session one, Session other) throws Exception {
        LockCalls calls = calls(LONG);
        other.execute("select pg_advisory_lock(4711)");
        other.commit();
        lock(one, calls, forUpdate(ABSENT).allowAbsent());
        Step<Held> others = start(other, calls, forUpdate(ABSENT).allowAbsent());
        Step<Boolean> ones = one.startExecute("select pg_advisory_xact_lock(4711)");
        assertThat(others.get()).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        ones.awaitBlockedBy(other);
        other.execute("select pg_advisory_unlock(4711)");
        ones.get();
        one.commit();
        other.commit();
    }

    /** A lock in front is of a row that the statement waits for: one that is deleted, and not yet for others. */
    @Test
    void aRowThatIsBeingDeletedHasItsKeyInFront(Session deleting, Session first, Session second) throws Exception {
        LockCalls calls = calls(LONG);
        deleting.execute("delete from account where id = 1");
        Step<Held> firsts = start(first, calls, forUpdate(ROW).allowAbsent());
        firsts.awaitBlockedBy(deleting);
        Step<Held> seconds = start(second, calls, forUpdate(ROW).allowAbsent());
        seconds.awaitBlockedBy(first);
        deleting.commit();
        assertThat(firsts.get()).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        first.commit();
        assertThat(seconds.get()).isEqualTo(Held.NOTHING_LOCKED_ROW_ABSENT);
        second.commit();
    }

    private static void takeKeyAlone(Session session) throws Exception {
        String path = session.connection().unwrap(PgConnection.class).getParameterStatus("search_path");
        session.execute("select pg_advisory_xact_lock(" + FrontSql.key(path, "account", List.of("9")) + ")");
    }

    private Session holderOfTheKeyAlone() throws Exception {
        Session holder = database.session("holder");
        takeKeyAlone(holder);
        return holder;
    }

    private static void assertUsable(Session session, String lockTimeout) throws Exception {
        assertThat(session.advisoryLocks()).isZero();
        session.run(connection ->
                assertThat(TestDatabase.query(connection, "show lock_timeout")).isEqualTo(lockTimeout));
        session.execute("update account set balance = balance + 1 where id = 9");
        session.commit();
    }

    @Test
    void whereTheKeyCannotBeHadInTimeTheRowIsLockedWithoutIt(Session other) throws Exception {
        Session holder = holderOfTheKeyAlone();
        assertThat(lock(other, calls(SHORT), forUpdate(KEYED))).isEqualTo(Held.ROW_LOCKED);
        assertUsable(other, "0");
        // Half of the bound, and the row is free.
        assertThat(lock(other, calls(LONG), forUpdate(KEYED).atMost(Duration.ofMillis(400))))
                .isEqualTo(Held.ROW_LOCKED);
        assertUsable(other, "0");
        holder.rollback();
        assertThat(database.query("select balance from account where id = 9")).isEqualTo("2");
    }

    @Test
    void aBoundIsTheBoundOfBothWaitsTogether(Session holder, Session other) throws Exception {
        LockCalls calls = calls(LONG);
        lock(holder, calls, forUpdate(ROW));
        assertThatThrownBy(() -> lock(other, calls, forUpdate(ROW).atMost(Duration.ofMillis(40))))
                .isInstanceOf(LockNotAvailableException.class);
        other.execute("update account set balance = 7 where id = 2");
        other.commit();
        holder.commit();
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock_timeout", "statement_timeout"})
    void theTimeoutsOfTheCallerAreNotReachedBecauseOfTheKey(String timeout) throws Exception {
        Session holder = holderOfTheKeyAlone();
        Session other = database.session("other", database.dataSourceWith("-c " + timeout + "=2s"));
        assertThat(lock(other, calls(LONG), forUpdate(KEYED))).isEqualTo(Held.ROW_LOCKED);
        assertUsable(other, timeout.equals("lock_timeout") ? "2s" : "0");
    }

    /** However late the answer is, what the bound of the key has ended is not told as the timeout of the caller. */
    @Test
    void aSlowAnswerIsNotTakenForTheTimeoutOfTheCaller() throws Exception {
        Session holder = holderOfTheKeyAlone();
        PGSimpleDataSource impatient = database.dataSourceWith("-c lock_timeout=50ms");
        try (TcpProxy proxy = TcpProxy.to(impatient)) {
            Session other = database.session("other", proxy.through(impatient));
            proxy.delay(Duration.ofMillis(30), Duration.ofMillis(30));
            assertThat(lock(other, calls(LONG), forUpdate(KEYED))).isEqualTo(Held.ROW_LOCKED);
            assertUsable(other, "50ms");
        }
    }

    @Test
    void theLockTimeoutOfTheCallerHoldsForTheRow(Session plain) throws Exception {
        plain.execute("select * from account where id = 1 for update");
        Session other = database.session("other", database.dataSourceWith("-c lock_timeout=50ms"));
        assertThatThrownBy(() -> lock(other, calls(LONG), forUpdate(ROW)))
                .isInstanceOf(LockNotAvailableException.class)
                .satisfies(state("55P03"));
        other.rollback();
        plain.commit();
    }

    /** What the table's lock ends is told, and not waited for again. */
    @Test
    void aTableThatIsLockedIsWaitedForOnce(Session plain) throws Exception {
        AtomicInteger givenUp = new AtomicInteger();
        QueuePolicy told = new FixedWidth(100, LONG.toNanos()) {
            @Override
            public void frontGivenUp(long nanos) {
                givenUp.incrementAndGet();
            }
        };
        plain.execute("lock table account");
        Session other = database.session("other", database.dataSourceWith("-c lock_timeout=50ms"));
        LockRequest request = forUpdate(ROW);
        for (boolean aborts : List.of(true, false)) {
            LockRequest each = aborts ? request : request.atMost(Duration.ofMillis(40));
            assertThatThrownBy(() -> lock(other, calls(told, LockFront.ALWAYS), each))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThat(other.connection().unwrap(PgConnection.class).getTransactionState())
                    .isEqualTo(aborts ? TransactionState.FAILED : TransactionState.IDLE);
            other.rollback();
        }
        assertThat(givenUp).hasValue(0);
        plain.commit();
        lock(other, calls(told, LockFront.ALWAYS), request);
        assertThat(other.advisoryLocks()).isOne();
    }

    /** Nothing of a flush has run that was waiting for its key. */
    @Test
    void writesAreStoredOnceWhereTheKeyCannotBeHad() throws Exception {
        Session holder = holderOfTheKeyAlone();
        RowLocks.builder(database.dataSource())
                .front(LockFront.ALWAYS)
                .build()
                .lock(forUpdate(KEYED).atMost(Duration.ofMillis(400)))
                .execute("update account set balance = balance + 1 where id = ?", 9);
        assertThat(database.query("select balance from account where id = 9")).isEqualTo("1");
    }

    @Test
    void aQueryBehindTheLockIsReadOnce(Session other) throws Exception {
        Session holder = holderOfTheKeyAlone();
        LockCalls calls = calls(SHORT);
        List<Integer> balances = other.run(connection -> new TransactionLocks(connection, calls)
                .lockAndRead(forUpdate(KEYED), "select balance from account where id = ?", row -> row.getInt(1), 9));
        assertThat(balances).containsExactly(0);
        other.commit();
    }

    @Test
    void aCallThatQueuesBeforeItsConnectionHasTheKeyInFrontToo() throws Exception {
        RowLocks locks = LockAccess.builder().front(LockFront.ALWAYS).build();
        String seen = locks.on(database.dataSource())
                .lock(forUpdate(ROW))
                .inTransaction(
                        tx -> database.query("select count(*) from pg_locks where locktype = 'advisory' and granted"));
        assertThat(seen).isEqualTo("1");
        RowLocks never = LockAccess.builder().front(LockFront.NEVER).build();
        assertThat(never.on(database.dataSource())
                        .lock(forUpdate(ROW))
                        .<String, SQLException>inTransaction(tx -> database.query(
                                "select count(*) from pg_locks where locktype = 'advisory' and granted")))
                .isEqualTo("0");
    }

    /** Its waiters hold rows while they wait for a key; so none of its keys goes in front of a lock. */
    @Test
    void besideBothThereIsNoCircleOfAKeyAndARow(Session other, Session holder) throws Exception {
        RowLocks both = locks(LockStrategy.BOTH);
        LockCalls calls = calls(LONG);
        takeKeyAlone(other);
        holder.run(connection -> both.in(connection).lock(forUpdate(OTHER)));
        Step<Held> step = start(other, calls, forUpdate(OTHER));
        step.awaitBlockedBy(holder);
        holder.run(connection -> both.in(connection).lock(forUpdate(KEYED)));
        holder.commit();
        step.get();
        other.commit();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pg_advisory_xact_lock(bigint)", "set_config(text, text, boolean)"})
    void withoutTheRightToTheFunctionTheRowIsLockedWithoutIt(String function) throws Exception {
        String name = "front_core_" + database.schema();
        database.execute("create database " + name, "create role " + name + " login password 'secret'");
        database.closing(() ->
                database.execute("drop database if exists " + name + " with (force)", "drop role if exists " + name));
        PGSimpleDataSource admin = database.dataSource();
        admin.setDatabaseName(name);
        try (Connection connection = admin.getConnection()) {
            TestDatabase.execute(
                    connection,
                    "create table public.account(id int primary key)",
                    "insert into public.account values (1)",
                    "grant all on public.account to " + name,
                    "revoke execute on function pg_catalog." + function + " from public");
        }
        PGSimpleDataSource role = database.dataSourceOf(name);
        role.setDatabaseName(name);
        try (Connection connection = begin(role)) {
            LockRequest request = forUpdate(LockKey.row("public.account", 1));
            assertThat(Held.of(new TransactionLocks(connection, calls(LONG)).lock(request)))
                    .isEqualTo(Held.ROW_LOCKED);
            connection.commit();
        }
    }

    @Test
    void holdsAreSeenWhenTheConnectionBeginsAnew(Session session) throws Exception {
        List<Boolean> exact = Collections.synchronizedList(new ArrayList<>());
        QueuePolicy told = new FixedWidth(1, 0) {
            @Override
            public void held(long nanos, boolean isExact) {
                exact.add(isExact);
            }
        };
        LockCalls calls = Locks.calls(LockStrategy.ROW, new KeyQueues(() -> told));
        lock(session, calls, forUpdate(ROW));
        lock(session, calls, forUpdate(OTHER));
        assertThat(exact).isEmpty();
        session.commit();
        lock(session, calls, forUpdate(ROW));
        assertThat(exact).containsExactly(false);
        session.commit();
    }
}
