package org.rowlock.internal.group;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockSerializationException;
import org.rowlock.LockStrategy;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.group.Crowd.Caller;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Requests;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** Calls that wait for a key share a transaction, and each has its own outcome. */
class GroupedCallsTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance bigint not null default 0 check (balance >= 0), note text)",
            "insert into account values (1, 0), (2, 0)",
            "create table ledger(place serial, id int, amount bigint check (amount <> 13), note text)",
            "create table child(id int, parent int)",
            "create table parent(id int primary key)",
            "alter table child add foreign key (parent) references parent deferrable initially deferred",
            "create table secret(id int)",
            "alter table secret enable row level security");

    /** Its row of the ledger says what was done with it. */
    private static CommitWrites pay(int id, int amount) {
        CommitWrites writes = new CommitWrites();
        writes.add("update account set balance = balance + ? where id = 1", amount)
                .expectOneRow();
        writes.add("insert into ledger(id, amount) values (?, ?)", id, amount);
        return writes;
    }

    private String ids() throws SQLException {
        return database.query("select string_agg(id::text, ' ' order by place) from ledger");
    }

    /** How many of the ledger's rows each transaction has written, in the order of the first. */
    private String transactions() throws SQLException {
        return Crowd.transactions(database, "ledger");
    }

    /** A call for each of the ids, with amounts that differ. No amount is 13, because the ledger refuses it. */
    private static CommitWrites[] pays(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(id -> pay(id, id % 13))
                .toArray(CommitWrites[]::new);
    }

    /** The same, and one statement more. */
    private static CommitWrites pay(int id, String more, Object... binds) {
        CommitWrites writes = pay(id, 1);
        writes.add(more, binds);
        return writes;
    }

    /** What each of some calls that wait together has thrown, or null. */
    private List<Throwable> failures(RowLocks locks, CommitWrites... all) throws Exception {
        return failures(locks, database.dataSource(), all);
    }

    private List<Throwable> failures(RowLocks locks, DataSource dataSource, CommitWrites... all) throws Exception {
        return Crowd.failures(database, locks, dataSource, all);
    }

    @EveryStrategy
    void callsThatWaitShareATransactionInTheirOrder(LockStrategy strategy) throws Exception {
        RowLocks locks = Crowd.builder(8).strategy(strategy).build();
        assertThat(failures(locks, pays(1, 8))).containsOnlyNulls();
        assertThat(ids()).isEqualTo("1 2 3 4 5 6 7 8");
        assertThat(transactions()).isEqualTo("8");
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("36");
    }

    @Test
    void nothingIsGroupedUnlessItIsAskedFor() throws Exception {
        assertThat(failures(LockAccess.builder().maxAdmittedPerKey(1).build(), pays(1, 2)))
                .containsOnlyNulls();
        assertThat(transactions()).isEqualTo("1 1");
    }

    /** Largest first: 4, 2, 1, so that the server prepares few sizes. */
    @Test
    void aGroupIsNoLargerThanWasSaidAndHasFewSizes() throws Exception {
        assertThat(failures(Crowd.builder(4).build(), pays(1, 7))).containsOnlyNulls();
        assertThat(ids()).isEqualTo("1 2 3 4 5 6 7");
        assertThat(transactions()).isEqualTo("4 2 1");
    }

    @Test
    void countsAndRowsGoToTheirCallers() throws Exception {
        List<CommitWrite> balances = new ArrayList<>();
        List<CommitWrite> counts = new ArrayList<>();
        try (Crowd crowd = Crowd.behind(database, Crowd.builder(8).build())) {
            for (int id = 1; id <= 4; id++) {
                CommitWrites writes = new CommitWrites();
                balances.add(writes.add("update account set balance = balance + ? where id = 1 returning balance", id));
                String more = ", (?)".repeat(id - 1);
                counts.add(writes.add(
                        "insert into ledger(id) values (?)" + more,
                        Collections.nCopies(id, id).toArray()));
                crowd.add(writes);
            }
        }
        for (int i = 0; i < 4; i++) {
            assertThat(balances.get(i).rows()).containsExactly(List.of((i + 1) * (i + 2) / 2L));
            assertThat(counts.get(i).count()).isEqualTo(i + 1L);
        }
        assertThat(transactions()).isEqualTo("10");
    }

    /** A pool closes a connection for some errors, whose ever they are. */
    @Test
    void anErrorForWhichThePoolClosesTheConnectionIsThatOfItsMemberAlone() throws Exception {
        CommitWrites[] all = pays(1, 4);
        all[1].add("update account set balance = extract(timezone from time '10:00') where id = 2");
        try (HikariDataSource pool = Pools.of(database.dataSource(), 2)) {
            List<Throwable> failures = failures(Crowd.builder(4).build(), pool, all);
            assertThat(failures.get(0)).isNull();
            assertThat(failures.get(1)).hasMessageContaining("timezone");
        }
        assertThat(ids()).isEqualTo("1 3 4");
    }

    @Test
    void aGroupTakesOneConnection() throws Exception {
        ObservedDataSource observed = new ObservedDataSource(database.dataSource());
        assertThat(failures(Crowd.builder(8).build(), observed, pays(1, 16))).containsOnlyNulls();
        assertThat(transactions()).isEqualTo("8 8");
        assertThat(observed.borrowed()).as("with that of the one in front").isEqualTo(3);
        assertThat(observed.mostOpen()).isOne();
    }

    /** Its trigger sees what a COMMIT of its own would show it. */
    @Test
    void aDeferredTriggerSeesTheWholeOfItsCallAndNoMore() throws Exception {
        database.execute(
                "create table seen(id int, balance bigint, entries bigint)",
                "create function look() returns trigger language plpgsql as $$begin insert into seen"
                        + " select new.id, a.balance, (select count(*) from ledger) from account a where a.id = 1;"
                        + " return null; end$$",
                "create constraint trigger look after update on account deferrable initially deferred"
                        + " for each row execute function look()");
        assertThat(failures(Crowd.builder(4).build(), pays(1, 4))).containsOnlyNulls();
        assertThat(database.query("select string_agg(balance || ':' || entries, ' ' order by balance) from seen"))
                .isEqualTo("1:1 3:2 6:3 10:4");
    }

    private enum Failure {
        EXPECTATION(UnexpectedRowCountException.class, id -> {
            CommitWrites writes = pay(id, 1);
            writes.add("update account set balance = 0 where id = 99").expectOneRow();
            return writes;
        }),
        CONSTRAINT(SQLException.class, id -> pay(id, 13)),
        DEFERRED(SQLException.class, id -> pay(id, "insert into child values (?, 7)", id)),
        NO_STATEMENT(SQLException.class, id -> pay(id, "update nothing set a = 1"));

        final Class<?> type;
        final IntFunction<CommitWrites> writes;

        Failure(Class<?> type, IntFunction<CommitWrites> writes) {
            this.type = type;
            this.writes = writes;
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneThatFailsUndoesTheGroupAndEachIsDoneAlone(Failure failure) throws Exception {
        for (int failing = 0; failing < 4; failing++) {
            RowLocks locks = Crowd.builder(4).build();
            database.execute("truncate ledger restart identity");
            CommitWrites[] all = pays(1, 4);
            all[failing] = failure.writes.apply(failing + 1);
            List<Throwable> failures = failures(locks, all);
            assertThat(failures.remove(failing)).isInstanceOf(failure.type);
            assertThat(failures).containsOnlyNulls();
            int failed = failing + 1;
            assertThat(ids())
                    .isEqualTo(IntStream.rangeClosed(1, 4)
                            .filter(id -> id != failed)
                            .mapToObj(String::valueOf)
                            .collect(joining(" ")));
            if (failure == Failure.EXPECTATION || failure == Failure.CONSTRAINT) {
                assertThat(transactions()).isEqualTo("1 1 1");
            }
            assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
        }
    }

    /** The next one's parent would make its child good at a COMMIT that both share. */
    @Test
    void whatIsDeferredIsNotMadeGoodByTheNext() throws Exception {
        CommitWrites parent = pay(2, "insert into parent values (7)");
        List<Throwable> failures = failures(Crowd.builder(2).build(), Failure.DEFERRED.writes.apply(1), parent);
        assertThat(failures.get(0)).isInstanceOf(SQLException.class);
        assertThat(ids()).isEqualTo("2");
    }

    /** Nor may it be refused, as it is checked at once in a group. */
    @Test
    void whatIsDeferredIsDoneAlone() throws Exception {
        CommitWrites both = Failure.DEFERRED.writes.apply(2);
        both.add("insert into parent values (7)");
        assertThat(failures(Crowd.builder(2).build(), pay(1, 1), both)).containsOnlyNulls();
        assertThat(ids()).isEqualTo("1 2");
    }

    @Test
    void groupsOfAKeyAreSmallerAfterAFailureAndLargerLater() throws Exception {
        RowLocks locks = Crowd.builder(4).build();
        assertThat(failures(locks, pay(1, 1), pay(2, 1), pay(3, 1), pay(4, 13)).get(3))
                .isNotNull();
        database.execute("delete from ledger");
        assertThat(failures(locks, pays(1, 40))).containsOnlyNulls();
        assertThat(transactions()).startsWith("2 2 2").endsWith("4");
    }

    private void expectAlone(RowLocks locks, CommitWrites... all) throws Exception {
        assertThat(failures(locks, all)).containsOnlyNulls();
        assertThat(transactions().replace(" ", "")).containsOnlyDigits().matches("1+");
        assertThat(database.query("select count(*) from ledger")).isEqualTo(String.valueOf(all.length));
    }

    @EveryStrategy
    void aTableWithRowSecurityIsNeverGrouped(LockStrategy strategy) throws Exception {
        database.execute("alter table account enable row level security");
        expectAlone(Crowd.builder(4).strategy(strategy).build(), pays(1, 4));
    }

    @Test
    void writesToATableWithARowSecurityPolicyAreNeverGrouped() throws Exception {
        database.execute("create policy all_of_it on secret using (true)");
        RowLocks locks = Crowd.builder(4).build();
        String secret = "insert into secret values (?)";
        expectAlone(locks, pay(1, secret, 1), pay(2, secret, 2), pay(3, 1), pay(4, secret, 4));
        database.execute("truncate ledger restart identity");
        assertThat(failures(Crowd.builder(4).build(), pays(1, 2))).containsOnlyNulls();
        assertThat(transactions()).as("of other tables").isEqualTo("2");
    }

    @EveryStrategy.WithRow
    void aboveReadCommittedNothingIsGrouped(LockStrategy strategy) throws Exception {
        DataSource dataSource = database.dataSourceWith("-c default_transaction_isolation=repeatable\\ read");
        List<Throwable> failures = failures(Crowd.builder(4).strategy(strategy).build(), dataSource, pays(1, 2));
        // Both calls may be at the server at once, and the snapshot of one is then older than the other's commit.
        failures.removeIf(Objects::isNull);
        assertThat(failures)
                .hasSizeLessThan(2)
                .allSatisfy(failure -> assertThat(failure).isInstanceOf(LockSerializationException.class));
        assertThat(transactions()).isEqualTo(failures.isEmpty() ? "1 1" : "1");
    }

    /** A write that sets something for its transaction would set it for those of others. */
    @Test
    void onlyChangesOfRowsAreGrouped() throws Exception {
        expectAlone(
                Crowd.builder(4).build(),
                pay(1, 1),
                pay(2, "set local application_name = 'mine'"),
                pay(3, 1),
                pay(3, "select set_config('application_name', 'mine', true)"),
                pay(
                        4,
                        "with mine as (select set_config('application_name', 'mine', true)) insert into parent values (9)"),
                pay(5, "insert into parent select length(Set_Config('application_name', 'mine', true))"),
                pay(6, 1));
    }

    static Stream<Object> muchDataIsSentAlone() {
        return Stream.of("x".repeat(250_000), new int[60_000]);
    }

    /** As many bytes would have to be sent while the server may wait for its answers to be read. */
    @ParameterizedTest
    @MethodSource
    void muchDataIsSentAlone(Object large) throws Exception {
        String type = large instanceof String ? "text" : "int[]";
        String write = "update account set note = (?::" + type + ")::text where id = 2 returning note";
        expectAlone(
                Crowd.builder(4).build(),
                IntStream.rangeClosed(1, 4)
                        .mapToObj(id -> pay(id, write, large))
                        .toArray(CommitWrites[]::new));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyLargeAnswersAndAFailureInTheLastMember(boolean failing) throws Exception {
        int size = 64;
        List<CommitWrite> notes = new ArrayList<>();
        List<Caller> callers = new ArrayList<>();
        try (Crowd crowd = Crowd.behind(database, Crowd.builder(size).build())) {
            for (int id = 1; id <= size; id++) {
                CommitWrites writes = new CommitWrites();
                notes.add(writes.add(
                        "insert into ledger(id, amount) values (?, ?) returning repeat('y', 100000) || id",
                        id,
                        failing && id == size ? 13 : 1));
                callers.add(crowd.add(writes));
            }
        }
        for (int id = 1; id <= size; id++) {
            if (failing && id == size) {
                assertThat(callers.get(id - 1).failure()).isInstanceOf(SQLException.class);
            } else {
                assertThat(callers.get(id - 1).failure()).isNull();
                assertThat((String) notes.get(id - 1).rows().get(0).get(0))
                        .hasSize(100_000 + String.valueOf(id).length());
            }
        }
        assertThat(transactions()).isEqualTo(failing ? "1 ".repeat(size - 1).strip() : String.valueOf(size));
    }

    @Test
    void aGroupTakesAsManyRoundTripsAsOneAlone() throws Exception {
        PGSimpleDataSource counted = RoundTripCounter.counting(database.dataSource());
        // With a front lock, a long wait for the row leads to a question to the server.
        RowLocks locks = Crowd.builder(8).front(LockFront.NEVER).build();
        ConcurrentLinkedQueue<Integer> trips = new ConcurrentLinkedQueue<>();
        try (Connection connection = counted.getConnection()) {
            DataSource only = OneConnection.of(connection);
            for (int size : List.of(8, 1, 8)) {
                trips.clear();
                try (Crowd crowd = Crowd.behind(database, locks, only)) {
                    for (int i = 1; i <= size; i++) {
                        int id = i;
                        crowd.add(() -> {
                            on(locks, only).lock(forUpdate(Crowd.KEY)).execute(pay(id, 1));
                            trips.add(RoundTripCounter.counted());
                        });
                    }
                }
            }
        }
        assertThat(trips).containsExactlyInAnyOrder(1, 0, 0, 0, 0, 0, 0, 0);
        assertThat(transactions()).isEqualTo("8 1 8");
    }

    @Test
    void oneThatIsInterruptedOrOutOfTimeBeforeLeaves() throws Exception {
        Caller leader;
        try (Crowd crowd = Crowd.behind(database, Crowd.builder(8).build())) {
            leader = crowd.add(pay(1, 1));
            Caller interrupted = crowd.add(pay(2, 1));
            crowd.add(pay(3, 1));
            interrupted.thread.interrupt();
            crowd.left(interrupted);
            assertThat(interrupted.failure()).isInstanceOf(LockInterruptedException.class);
        }
        assertThat(leader.failure()).isNull();
        assertThat(ids()).isEqualTo("1 3");
        assertThat(transactions()).isEqualTo("2");
    }

    @Test
    void oneThatIsInterruptedWhileItIsSentWaitsForTheOutcome() throws Exception {
        try (Connection other = TestDatabase.begin(database.dataSource());
                Crowd crowd = Crowd.behind(database, Crowd.builder(8).build())) {
            CommitWrites leading = pay(1, 1);
            leading.add("update account set balance = balance + 1 where id = 2");
            crowd.add(leading);
            Caller member = crowd.add(pay(2, 1));
            TestDatabase.execute(other, "update account set balance = 0 where id = 2");
            int pid = other.unwrap(PGConnection.class).getBackendPID();
            crowd.start();
            // The opener, which had the row until now, may still be shown as waiting.
            TestDatabase.await("the group waits for the other transaction")
                    .until(() -> database.query("select count(*) from pg_stat_activity where " + pid
                                    + " = any(pg_blocking_pids(pid))")
                            .equals("1"));
            member.thread.interrupt();
            awaitFlagTaken(member);
            assertThat(member.isDone()).isFalse();
            other.rollback();
            assertThat(member.isInterrupted()).isTrue();
        }
        assertThat(transactions()).isEqualTo("2");
    }

    private void awaitBlocked(Caller caller) {
        TestDatabase.await("a call waits at the server")
                .until(() -> caller.isDone()
                        || !database.query("select count(*) from pg_stat_activity where datname = current_database()"
                                        + " and wait_event_type = 'Lock'")
                                .equals("0"));
    }

    /** It has seen the interrupt, and waits on. */
    private static void awaitFlagTaken(Caller caller) {
        TestDatabase.await("the interrupt is seen").until(() -> !caller.thread.isInterrupted());
    }

    @Test
    void theShortestWaitOfAGroupBoundsItAndTheOthersWaitOn() throws Exception {
        LockWait patient = LockWait.atMost(TestDatabase.DEADLINE);
        RowLocks locks = Crowd.builder(8).build();
        List<Caller> callers = new ArrayList<>();
        try (Crowd crowd = Crowd.behind(database, locks)) {
            callers.add(crowd.add(Requests.waiting(forUpdate(Crowd.KEY), patient), pay(1, 1)));
            callers.add(crowd.add(forUpdate(Crowd.KEY).atMost(Duration.ofSeconds(1)), pay(2, 1)));
            callers.add(crowd.add(pay(3, 1)));
            crowd.left(callers.get(1));
        }
        assertThat(callers.get(1).failure()).isInstanceOf(LockNotAvailableException.class);
        assertThat(callers.get(0).failure()).isNull();
        assertThat(ids()).isEqualTo("1 3");
        assertThat(transactions()).as("a bound and none are not grouped").isEqualTo("1 1");
    }

    /** Alone it would not have waited for the row of the other. */
    @EveryStrategy
    void aBoundEndsTheWaitBehindAWriteOfAnotherMember(LockStrategy strategy) throws Exception {
        RowLocks locks = Crowd.builder(2).strategy(strategy).build();
        CommitWrites waiting = pay(2, "update account set balance = balance + 1 where id = 2");
        try (Crowd crowd = Crowd.behind(database, locks);
                Connection other = TestDatabase.begin(database.dataSource())) {
            TestDatabase.execute(other, "update account set balance = 0 where id = 2");
            Caller leader = crowd.add(forUpdate(Crowd.KEY).atMost(TestDatabase.DEADLINE), pay(1, 1));
            Caller member = crowd.add(forUpdate(Crowd.KEY).atMost(Duration.ofSeconds(2)), waiting);
            crowd.start();
            assertThat(leader.failure()).isNull();
            assertThat(ids()).isEqualTo("1");
            other.rollback();
            // If the group's wait ends a moment before the bound, the call alone may still acquire the key.
            Throwable failure = member.failure();
            assertThat(failure instanceof LockNotAvailableException || failure == null)
                    .as("%s", failure)
                    .isTrue();
            assertThat(ids()).isEqualTo(failure == null ? "1 2" : "1");
        }
    }

    /** Which a group with a bound sets for its writes, and then restores. */
    @Test
    void boundedCallsOfASessionWithALockTimeoutAreGrouped() throws Exception {
        DataSource dataSource = database.dataSourceWith("-c lock_timeout=180000");
        RowLocks locks = Crowd.builder(2).build();
        try (Crowd crowd = Crowd.behind(database, locks, dataSource)) {
            for (int i = 1; i <= 2; i++) {
                int id = i;
                crowd.add(forUpdate(Crowd.KEY).atMost(TestDatabase.DEADLINE), pay(id, 1));
            }
        }
        assertThat(transactions()).isEqualTo("2");
    }

    @Test
    void anUnknownOutcomeIsUnknownToAllAndStoredOnceOrNotAtAll() throws Exception {
        CommitWrites[] all = pays(1, 4);
        assertUnknownToEach(all, proxy -> proxy.cutAfter("'group '"));
        for (CommitWrites again : all) {
            assertThatThrownBy(() -> on(Crowd.builder(1).build(), database.dataSource())
                            .lock(forUpdate(Crowd.KEY))
                            .execute(again))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("twice");
        }
        assertThat(ids()).isIn("1 2 3 4", null);
    }

    private void assertUnknownToEach(CommitWrites[] all, Consumer<TcpProxy> cut) throws Exception {
        try (TcpProxy proxy = TcpProxy.to(database.dataSource())) {
            assertThat(Crowd.failures(
                            database,
                            Crowd.builder(4).build(),
                            proxy.through(database.dataSource()),
                            () -> cut.accept(proxy),
                            all))
                    .hasOnlyElementsOfType(CommitOutcomeUnknownException.class)
                    .doesNotHaveDuplicates();
        }
    }

    /** Thrown by what is around the driver; nobody says what became of the COMMIT. */
    @Test
    void whatALeaderThrowsIsNoSuccessOfTheOthers() throws Exception {
        ObservedDataSource observed = new ObservedDataSource(database.dataSource());
        RowLocks locks = Crowd.builder(2).build();
        try (Crowd known = Crowd.behind(database, locks, observed)) {
            known.add(pay(3, 1));
            known.add(pay(4, 1));
        }
        database.execute("delete from ledger");
        CommitWrites writes = pay(2, 1);
        Caller leader;
        Caller member;
        try (Crowd crowd = Crowd.behind(database, locks, observed)) {
            leader = crowd.add(pay(1, 1));
            member = crowd.add(writes);
            observed.fail("prepareStatement", new AssertionError() {
                @Override
                public String toString() {
                    throw new IllegalStateException("It has no text");
                }
            });
        }
        assertThat(member.failure()).isInstanceOf(CommitOutcomeUnknownException.class);
        assertThat(leader.failure()).isInstanceOf(AssertionError.class);
        assertThatIllegalStateException()
                .isThrownBy(() -> writes.add("select 1"))
                .withMessageContaining("twice");
        assertThat(ids()).isNull();
    }

    /** Such as one whose thread has no memory left to report anything. */
    @Test
    void whatALeaderNeverReportsIsUnknownAlsoWithoutAConnection() throws Exception {
        ObservedDataSource observed = new ObservedDataSource(database.dataSource());
        observed.fail("getConnection", new SQLException("There is none"));
        RowLocks locks = Crowd.builder(2).build();
        CommitWrites writes = pay(1, 1);
        Caller member;
        try (KeyEntries leader = LockAccess.of(locks).calls().admit(observed, forUpdate(Crowd.KEY), null)) {
            member = new Caller(
                    () -> on(locks, observed).lock(forUpdate(Crowd.KEY)).execute(writes));
            List<QueueEntry> taken = new ArrayList<>();
            TestDatabase.await().until(() -> {
                taken.addAll(leader.entryOf(Crowd.KEY).take(1, offer -> true));
                return !taken.isEmpty();
            });
            taken.get(0).sent();
        }
        assertThat(member.failure()).isInstanceOf(CommitOutcomeUnknownException.class);
        assertThatIllegalStateException()
                .isThrownBy(() -> writes.add("select 1"))
                .withMessageContaining("twice");
    }

    @Test
    void whatIsLostInTheMiddleIsUnknownToAllAndNotSentAgain() throws Exception {
        assertUnknownToEach(pays(1, 4), proxy -> proxy.cutBefore("'group '"));
        assertThat(database.query("select count(*) from ledger")).isEqualTo("0");
    }

    @Test
    void workThatWaitsIsNotOvertaken() throws Exception {
        DataSource dataSource = database.dataSource();
        RowLocks locks = Crowd.builder(8).build();
        try (Crowd crowd = Crowd.behind(database, locks, dataSource)) {
            crowd.add(pay(1, 1));
            crowd.add(pay(2, 1));
            crowd.add(() -> on(locks, dataSource)
                    .lock(forUpdate(Crowd.KEY))
                    .inTransaction(locked -> locked.atCommit("insert into ledger(id) values (3)")));
            crowd.add(pay(4, 1));
            crowd.add(pay(5, 1));
        }
        assertThat(ids()).isEqualTo("1 2 3 4 5");
        assertThat(transactions()).isEqualTo("2 1 2");
    }

    /** Keys are equal by value, and the row lock is by the spelling. */
    @Test
    void othersOfTheKeyAreNotGrouped() throws Exception {
        RowLocks locks = Crowd.builder(8).build();
        try (Crowd crowd = Crowd.behind(database, locks)) {
            crowd.add(pay(1, 1));
            crowd.add(LockRequest.forNoKeyUpdate(Crowd.KEY), pay(2, 1));
            crowd.add(pay(3, 1));
            crowd.add(forUpdate(Crowd.KEY).allowAbsent(), pay(4, 1));
            crowd.add(pay(5, 1));
            crowd.add(forUpdate(Crowd.KEY).atMost(TestDatabase.DEADLINE), pay(6, 1));
            crowd.add(pay(7, 1));
        }
        assertThat(ids()).isEqualTo("1 2 3 4 5 6 7");
        assertThat(transactions()).isEqualTo("1 1 1 1 1 1 1");
    }

    /** As one after the other: what follows a DELETE of the row finds none to lock. */
    @EveryStrategy.WithRow
    void whoIsBehindADeleteOfTheRowIsToldThatItIsAbsent(LockStrategy strategy) throws Exception {
        assertTheLastFindsNoRow(strategy, "delete from account where id = 1");
    }

    private void assertTheLastFindsNoRow(LockStrategy strategy, String change) throws Exception {
        List<CommitWrites> all = new ArrayList<>();
        for (String sql : List.of(
                "insert into ledger(id, amount) values (1, 1)",
                change,
                "insert into ledger(id, amount) values (2, 2)")) {
            all.add(new CommitWrites());
            all.get(all.size() - 1).add(sql);
        }
        List<Throwable> failures =
                failures(Crowd.builder(8).strategy(strategy).build(), all.toArray(CommitWrites[]::new));
        assertThat(failures.subList(0, 2)).containsOnlyNulls();
        assertThat(failures.get(2)).isInstanceOf(RowAbsentException.class);
        assertThat(ids()).isEqualTo("1");
    }

    /** A row can be gone without a DELETE, as under another id. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set id = 3 where id = 1",
                "insert into account values (1) on conflict (id) do update set id = 3"
            })
    void whoIsBehindAChangeOfTheIdIsToldThatTheRowIsAbsent(String change) throws Exception {
        assertTheLastFindsNoRow(LockStrategy.ROW, change);
    }

    /** Of a text column two spellings of a UUID are two rows of one key. */
    @Test
    void aCallLocksAllRowsThatItAskedFor() throws Exception {
        String lower = "abcdefab-0000-4000-8000-000000000000";
        List<LockKey> both = LockKey.rows("word", List.of(lower, lower.toUpperCase(Locale.ROOT)));
        database.execute(
                "create table word(id text primary key)",
                "insert into word values ('" + lower + "'), (upper('" + lower + "'))");
        DataSource dataSource = database.dataSource();
        RowLocks locks = Crowd.builder(2).build();
        LockRequest one = forUpdate(both.get(0));
        try (Connection other = TestDatabase.begin(database.dataSource());
                Statement statement = other.createStatement();
                Crowd crowd = Crowd.behind(database, locks, dataSource, one)) {
            statement.execute("select from word where id = upper('" + lower + "') for update");
            Caller leader = crowd.add(one, pay(1, 1));
            Caller waiting = crowd.add(forUpdate(both), pay(2, 1));
            crowd.start();
            assertThat(leader.failure()).isNull();
            awaitBlocked(waiting);
            assertThat(ids()).isEqualTo("1");
            other.rollback();
            assertThat(waiting.failure()).isNull();
        }
        assertThat(ids()).isEqualTo("1 2");
    }

    /** Told by listener: each admission and each acquisition once, be it in a group, or undone in one and alone. */
    @ParameterizedTest
    @ValueSource(ints = {1, 13})
    void eachIsToldOnce(int amount) throws Exception {
        ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
        RowLocks locks = Crowd.builder(4)
                .listener(event -> told.add(Thread.currentThread().getName() + " " + event.outcome()))
                .build();
        List<String> expected = new ArrayList<>();
        try (Crowd crowd = Crowd.behind(database, locks)) {
            for (int id = 1; id <= 4; id++) {
                String name = crowd.add(pay(id, id == 2 ? amount : 1)).thread.getName();
                expected.add(name + " ADMITTED");
                expected.add(name + (id == 2 && amount == 13 ? " FAILED" : " ACQUIRED"));
            }
        }
        assertThat(told).containsAll(expected).hasSize(expected.size() + 3);
    }
}
