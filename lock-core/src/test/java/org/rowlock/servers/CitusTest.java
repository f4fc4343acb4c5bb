package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.Locks.tryLock;
import static org.rowlock.testing.TestDatabase.begin;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.Claim;
import org.rowlock.LockInspector;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Threads;

/** Citus, by its coordinator: what docs/where-it-holds.md says was run there. */
@EnabledIfSystemProperty(
        named = "rowlock.test.citus.url",
        matches = ".+",
        disabledReason = "skipped: give -Drowlock.test.citus.url=, a coordinator with workers")
class CitusTest {
    private static final LockKey KEY = LockKey.row("account", 1);
    private static final int CLIENTS = 6;
    private static final int CALLS = 40;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            TestPostgres.at(System.getProperty("rowlock.test.citus.url", "")),
            "create table account(id int primary key, balance bigint not null default 0)",
            "select create_distributed_table('account', 'id')",
            "create table rate(id int primary key, balance bigint not null default 0)",
            "select create_reference_table('rate')",
            "create table note(id int primary key, balance bigint not null default 0)",
            "insert into account select generate_series(1, 9)",
            "insert into rate select generate_series(1, 9)",
            "insert into note select generate_series(1, 9)");

    @Test
    void advisoryLocksAloneAreRefusedUnlessAllEnterByOneNode() {
        assertThatThrownBy(() ->
                        on(locks(LockStrategy.ADVISORY), database.dataSource()).verify())
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContainingAll("Citus", "singleEntryNode");
        RowLocks.builder(database.dataSource())
                .strategy(LockStrategy.ADVISORY)
                .singleEntryNode(true)
                .build()
                .verify();
        on(locks(LockStrategy.BOTH), database.dataSource()).verify();
    }

    @ParameterizedTest
    @MethodSource("strategiesAndTables")
    void theNextWaitsAndReadsWhatTheHolderWrote(LockStrategy strategy, String table, Session alice, Session bob)
            throws Exception {
        RowLocks locks = locks(strategy);
        LockKey key = LockKey.row(table, 1);
        lock(alice, locks, forUpdate(key));
        Step<List<Long>> bobs = bob.start(c -> locks.in(c)
                .lockAndRead(forUpdate(key), "select balance from " + table + " where id = 1", row -> row.getLong(1)));
        alice.execute("update " + table + " set balance = 5 where id = 1");
        awaitWaitingOnCitus(1);
        assertThat(bobs.isDone()).isFalse();
        alice.commit();
        assertThat(bobs.get()).containsExactly(5L);
        bob.commit();
    }

    @Test
    void whoIsNotToWaitForBothGoesOn(Session alice, Session bob) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        lock(alice, locks, forUpdate(KEY));
        bob.execute("update account set balance = 1 where id = 2");
        assertThat(tryLock(bob, locks, forUpdate(KEY))).isFalse();
        bob.commit();
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("1");
        alice.rollback();
    }

    /** Each of these lets Citus run a statement that names a table on a machine of its choice. */
    static Stream<Arguments> settings() {
        return Stream.of(LockStrategy.BOTH, LockStrategy.ADVISORY)
                .flatMap(strategy -> Stream.of(
                                "task_assignment_policy=greedy",
                                "task_assignment_policy=round-robin",
                                "enable_local_execution=off")
                        .map(setting -> Arguments.of(strategy, setting)));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void noUpdateIsLost(LockStrategy strategy, String setting) throws Exception {
        RowLocks locks = locks(strategy);
        DataSource dataSource = database.dataSourceWith("-c citus." + setting);
        RowLocks.builder(dataSource)
                .strategy("account", LockStrategy.ADVISORY)
                .singleEntryNode(true)
                .build()
                .verify();
        inClients(dataSource, pool -> {
            for (int call = 0; call < CALLS; call++) {
                addOne(locks, pool);
            }
        });
        assertThat(database.query("select balance from account where id = 1"))
                .isEqualTo(String.valueOf(CLIENTS * CALLS));
    }

    @FunctionalInterface
    private interface Work {
        void run(DataSource pool) throws Exception;
    }

    private static void inClients(DataSource dataSource, Work work) throws Exception {
        try (HikariDataSource pool = Pools.of(dataSource, CLIENTS)) {
            Threads.run(CLIENTS, number -> work.run(pool));
        }
    }

    /** Every node takes clients, and its advisory locks exclude nobody on another, whatever is declared. */
    @Test
    void connectionsToSeveralNodesAreRefusedAlways() throws Exception {
        String node = " from pg_dist_node where groupid <> 0 order by nodeid limit 1";
        RowLocks declared = LockAccess.builder()
                .strategy("account", LockStrategy.ADVISORY)
                .singleEntryNode(true)
                .build();
        PGSimpleDataSource balanced = database.dataSource();
        String coordinator = balanced.getServerNames()[0];
        balanced.setServerNames(new String[] {coordinator, database.query("select nodename" + node)});
        balanced.setPortNumbers(
                new int[] {balanced.getPortNumbers()[0], Integer.parseInt(database.query("select nodeport" + node))});
        balanced.setLoadBalanceHosts(true);
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> on(declared, balanced).verify())
                    .isInstanceOf(LockVerificationException.class)
                    .hasMessageContaining("different servers");
        }
    }

    /** Without admission, so that they meet at the server. */
    private static void addOne(RowLocks locks, DataSource pool) throws SQLException {
        try (Connection connection = begin(pool)) {
            long balance = locks.in(connection)
                    .lockAndRead(forUpdate(KEY), "select balance from account where id = 1", row -> row.getLong(1))
                    .get(0);
            TestDatabase.execute(connection, "update account set balance = " + (balance + 1) + " where id = 1");
            connection.commit();
        }
    }

    /** In opposite orders these would wait for each other. */
    @ParameterizedTest
    @MethodSource("strategiesAndTables")
    void severalRowsAreLockedInOneOrder(LockStrategy strategy, String table, Session alice, Session bob, Session carol)
            throws Exception {
        RowLocks locks = locks(strategy);
        lock(carol, locks, forUpdate(LockKey.row(table, 2)));
        Step<LockResult> alices = startLock(
                alice,
                locks,
                forUpdate(LockKey.rows(table, List.of(9, 2, 1, 77))).allowAbsent());
        awaitWaitingOnCitus(1);
        Step<LockResult> bobs = startLock(bob, locks, forUpdate(LockKey.rows(table, List.of(1, 9, 2))));
        awaitWaitingOnCitus(2);
        carol.commit();
        assertThat(alices.get().absentRows())
                .isEqualTo(strategy == LockStrategy.ADVISORY ? List.of() : List.of(LockKey.row(table, 77)));
        assertThat(bobs.isDone()).isFalse();
        for (int id : new int[] {1, 2, 9}) {
            assertThat(tryLock(carol, locks, forUpdate(LockKey.row(table, id)))).isFalse();
        }
        alice.commit();
        assertThat(bobs.get().absentRows()).isEmpty();
        bob.commit();
    }

    static Stream<Arguments> strategiesAndTables() {
        return Stream.of(LockStrategy.values())
                .flatMap(strategy -> Stream.of("account", "rate", "note").map(table -> Arguments.of(strategy, table)));
    }

    /** For a lock of either kind, on whatever machine. */
    private void awaitWaitingOnCitus(int sessions) {
        TestDatabase.await()
                .until(() ->
                        Integer.parseInt(database.query("select count(distinct waiting_gpid) from citus_lock_waits"))
                                >= sessions);
    }

    @ParameterizedTest
    @MethodSource("strategiesAndTables")
    void aBoundEndsTheWaitAndLeavesTheTransactionUsable(LockStrategy strategy, String table, Session alice, Session bob)
            throws Exception {
        RowLocks locks = locks(strategy);
        LockKey key = LockKey.row(table, 1);
        // Who locks a row of a reference table keeps writers from all of it.
        String free = table.equals("rate") ? "account" : table;
        lock(alice, locks, forUpdate(key));
        bob.execute("set local lock_timeout = '7min'");
        bob.execute("update " + free + " set balance = 1 where id = 2");
        for (LockWait wait : List.of(LockWait.NO_WAIT, LockWait.atMost(Duration.ofMillis(100)))) {
            assertThatThrownBy(() -> lock(bob, locks, Requests.waiting(forUpdate(key), wait)))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThatThrownBy(() ->
                            lock(bob, locks, Requests.waiting(forUpdate(LockKey.rows(table, List.of(3, 1))), wait)))
                    .isInstanceOf(LockNotAvailableException.class);
        }
        lock(bob, locks, forUpdate(LockKey.row(free, 4)).atMost(Duration.ofMinutes(1)));
        assertThat(tryLock(bob, locks, forUpdate(LockKey.row(free, 5)))).isTrue();
        assertThat(bob.<String>run(c -> TestDatabase.query(c, "show lock_timeout")))
                .isEqualTo("7min");
        assertThat(bob.<String>run(c -> TestDatabase.query(c, "show citus.propagate_set_commands")))
                .isEqualTo("none");
        bob.commit();
        assertThat(database.query("select balance from " + free + " where id = 2"))
                .isEqualTo("1");
        alice.rollback();
    }

    @ParameterizedTest
    @MethodSource("strategiesAndTables")
    void aRowThatIsInsertedUnderTheLockIsSeen(LockStrategy strategy, String table, Session alice) throws Exception {
        RowLocks locks = locks(strategy);
        LockKey absent = LockKey.row(table, 50);
        String read = "select balance from " + table + " where id = 50";
        assertThat(alice.<List<Long>>run(
                        c -> locks.in(c).lockAndRead(forUpdate(absent).allowAbsent(), read, row -> row.getLong(1))))
                .isEmpty();
        alice.execute("insert into " + table + " values (50, 3)");
        assertThat(alice.<List<Long>>run(
                        c -> locks.in(c).lockAndRead(forUpdate(absent).allowAbsent(), read, row -> row.getLong(1))))
                .containsExactly(3L);
        alice.commit();
    }

    @EveryStrategy
    void rowsOfSeveralColumnsAndOfTypesOfTheUsersOwn(RowLocks locks, Session alice, Session bob) throws Exception {
        database.execute(
                "create type color as enum ('red', 'blue')",
                "create table car(tenant int, color color, note text, primary key (tenant, color))",
                "select create_distributed_table('car', 'tenant')",
                "insert into car values (1, 'red'), (1, 'blue'), (2, 'red')");
        LockKey red = LockKey.row("car", 1, "red");
        lock(alice, locks, forUpdate(List.of(red, LockKey.row("car", 1, "blue"), LockKey.row("car", 2, "red"))));
        lock(alice, locks, forUpdate(red));
        assertThat(tryLock(bob, locks, forUpdate(red))).isFalse();
        alice.commit();
        assertThat(tryLock(bob, locks, forUpdate(red))).isTrue();
        bob.commit();
    }

    @EveryStrategy
    void claimsAreRefusedByName(RowLocks locks, Session alice) throws Exception {
        on(locks, database.dataSource()).verify();
        Claim two = Claim.from("account").where("balance = ?", 0).orderBy("id").limit(2);
        assertThatThrownBy(() -> alice.run(c -> locks.in(c).claim(two, row -> row.getInt("id"))))
                .isInstanceOf(LockTargetException.class)
                .hasMessageContainingAll("Citus", "SKIP LOCKED");
        alice.rollback();
    }

    /** Where the column that a table is spread by is not in the id. */
    @Test
    void anIdThatDoesNotTellTheMachineIsRefusedWithTheCure(Session alice) throws Exception {
        database.execute(
                "create table seat(hall int, number int, primary key (hall, number))",
                "select create_distributed_table('seat', 'hall')");
        RowLocks locks = LockAccess.builder().idColumns("seat", "number").build();
        assertThatThrownBy(() -> lock(alice, locks, forUpdate(LockKey.row("seat", 3))))
                .isInstanceOf(LockTargetException.class)
                .hasMessageContaining("its id must include the distribution column");
        alice.rollback();
    }

    @Test
    void citusShowsWhichSessionWaitsForARowOnAWorker(Session alice, Session bob) throws Exception {
        RowLocks locks = locks(LockStrategy.ROW);
        lock(alice, locks, forUpdate(KEY));
        Step<LockResult> bobs = startLock(bob, locks, forUpdate(KEY));
        awaitWaitingOnCitus(1);
        assertThat(database.query("select waiting_gpid % 10000000000 || ' for ' || blocking_gpid % 10000000000"
                        + " from citus_lock_waits where blocked_statement like '%for update%'"))
                .isEqualTo(bob.pid() + " for " + alice.pid());
        alice.commit();
        bobs.get();
        bob.commit();
    }

    /** What was set for the wait is not on the workers any more. */
    @Test
    void aBoundEndsWithItsCallOnTheWorkersToo(Session alice) throws Exception {
        RowLocks locks = locks(LockStrategy.ROW);
        lock(alice, locks, forUpdate(KEY).atMost(Duration.ofMinutes(1)));
        assertThat(alice.<String>run(c -> TestDatabase.query(
                        c,
                        "select current_setting('lock_timeout') from account where id = 1 and current_setting("
                                + "'lock_timeout') <> 'of the coordinator'")))
                .isEqualTo("0");
        alice.commit();
    }

    /**
     * To Citus all transactions that are the coordinator's alone are one: two that wait for different locks would seem
     * to be one that closes a circle.
     */
    @Test
    void namesDoNotSeemToBeADeadlock() throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        on(locks, database.dataSource()).verify();
        List<Session> sessions = new ArrayList<>();
        for (String name : List.of("alice", "bob", "carol", "dave", "eve")) {
            sessions.add(database.session(name));
        }
        LockKey x = LockKey.name(database.schema() + "x");
        LockKey y = LockKey.name(database.schema() + "y");
        for (int i = 0; i < 2; i++) {
            int id = i + 1;
            sessions.get(i).run(c -> locks.in(c).lock(forUpdate(id == 1 ? x : y)));
            sessions.get(i).execute("update account set balance = 1 where id = " + id);
        }
        Step<?> carols = sessions.get(2).start(c -> locks.in(c).lock(forUpdate(x)));
        carols.awaitBlockedBy(sessions.get(0));
        Step<?> daves = sessions.get(3).start(c -> locks.in(c).lock(forUpdate(y)));
        daves.awaitBlockedBy(sessions.get(1));
        Step<?> bobs = sessions.get(1).start(c -> locks.in(c).lock(forUpdate(x)));
        bobs.awaitBlockedBy(sessions.get(0));
        sessions.get(4).execute("update account set balance = 1 where id = 5");
        Step<?> eves = sessions.get(4).start(c -> locks.in(c).lock(forUpdate(y)));
        eves.awaitBlockedBy(sessions.get(1));
        assertThat(database.query("select check_distributed_deadlocks()")).isEqualTo("f");
        sessions.get(0).commit();
        carols.get();
        sessions.get(2).commit();
        bobs.get();
        sessions.get(1).commit();
        daves.get();
        sessions.get(3).commit();
        eves.get();
        sessions.get(4).commit();
    }

    /** It takes some of its own for every write. */
    @Test
    void theInspectorShowsNothingOfCitusItself(Session alice) throws Exception {
        alice.execute("update account set balance = 1 where id = 1");
        assertThat(database.query("select count(*) > 0 from pg_locks where locktype = 'advisory' and objsubid > 2"))
                .isEqualTo("t");
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(new LockInspector(connection).all()).isEmpty();
        }
        alice.rollback();
    }
}
