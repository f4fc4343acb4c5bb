package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.assertIllegal;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockInspector.Line;
import org.rowlock.internal.value.KeyWithoutRow;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Who holds, who waits, behind whom, on which table and id. */
class LockInspectorTest {
    private static final LockKey KEY = LockKey.row("account", 42);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key)",
            "insert into account values (42), (-7)",
            "create table client(id uuid primary key)",
            "create table event(id bigint primary key)",
            "create table seat(number int, deck text, primary key (number, deck))",
            "create table \"Odd Name\"(id int primary key)");

    private final RowLocks locks = locks(LockStrategy.ADVISORY);
    private Session alice;
    private Session bob;

    @BeforeEach
    void open() throws SQLException {
        alice = database.session("alice");
        bob = database.session("bob");
    }

    /** The locks of this test's sessions, as the server may be shared. */
    private List<Line> all() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return mine(new LockInspector(connection).all());
        }
    }

    private List<Line> of(LockKey key) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return new LockInspector(connection).of(key);
        }
    }

    private List<Line> mine(List<Line> lines) {
        return lines.stream()
                .filter(line -> line.application().equals(Optional.of(database.schema())))
                .toList();
    }

    private void lock(Session session, LockKey key) throws Exception {
        session.run(c -> locks.in(c).lock(forUpdate(key)));
    }

    @EveryStrategy.WithKey
    void holderIsShownWithTableAndIdAndWho(LockStrategy strategy) throws Exception {
        RowLocks own = locks(strategy);
        alice.run(c -> own.in(c).lock(forUpdate(KEY)));
        assertThat(all()).singleElement().satisfies(line -> {
            assertThat(line.key()).isEqualTo(KEY);
            assertThat(line.isShared()).isFalse();
            assertThat(line.isGranted()).isTrue();
            assertThat(line.pid()).isEqualTo(alice.pid());
            assertThat(line.application()).contains(database.schema());
            assertThat(line.state()).contains("idle in transaction");
            assertThat(line.query()).isPresent();
            assertThat(line.transactionAge())
                    .hasValueSatisfying(age -> assertThat(age).isGreaterThanOrEqualTo(Duration.ZERO));
            assertThat(line.waitingFor()).isEmpty();
            assertThat(line.blockedBy()).isEmpty();
        });
        assertThat(of(KEY)).hasSize(1);
        assertThat(of(LockKey.row("account", 43))).isEmpty();
        alice.commit();
        assertThat(all()).isEmpty();
        assertThat(of(KEY)).isEmpty();
    }

    private long oid(String table) throws SQLException {
        return Long.parseLong(database.query("select '" + table + "'::regclass::oid::int8"));
    }

    @Test
    void waitersStandBehindTheHoldersInTheirOrder(Session carol, Session dave) throws Exception {
        alice.run(c -> locks.in(c).lock(forShare(KEY)));
        bob.run(c -> locks.in(c).lock(forShare(KEY)));
        Step<LockResult> carols = startLock(carol, locks, forUpdate(KEY));
        carols.awaitBlockedBy(alice, bob);
        Step<LockResult> daves = startLock(dave, locks, forShare(KEY));
        daves.awaitBlockedBy(carol);
        awaitWaitTimes(2);

        List<Line> lines = of(KEY);
        assertThat(lines).extracting(Line::isGranted).containsExactly(true, true, false, false);
        assertThat(lines).extracting(Line::isShared).containsExactly(true, true, false, true);
        assertThat(lines.subList(0, 2)).extracting(Line::pid).containsExactlyInAnyOrder(alice.pid(), bob.pid());
        assertThat(lines.subList(2, 4)).extracting(Line::pid).containsExactly(carol.pid(), dave.pid());
        assertThat(lines.get(2).blockedBy()).containsExactlyInAnyOrder(alice.pid(), bob.pid());
        assertThat(lines.get(3).blockedBy()).contains(carol.pid());
        assertThat(lines.subList(0, 2))
                .allSatisfy(line -> assertThat(line.waitingFor()).isEmpty());
        assertThat(lines.subList(2, 4)).allSatisfy(line -> {
            assertThat(line.waitingFor())
                    .hasValueSatisfying(time -> assertThat(time).isGreaterThanOrEqualTo(Duration.ZERO));
            assertThat(line.key()).isEqualTo(KEY);
            assertThat(line.state()).contains("active");
        });
        assertThat(all()).extracting(Line::pid).containsExactlyElementsOf(pids(lines));

        alice.commit();
        bob.commit();
        carols.get();
        carol.commit();
        daves.get();
    }

    private static List<Integer> pids(List<Line> lines) {
        return lines.stream().map(Line::pid).toList();
    }

    /** The server writes down when a wait began shortly after it has begun. */
    private void awaitWaitTimes(int waiters) {
        TestDatabase.await()
                .until(() -> of(KEY).stream()
                                .filter(line -> line.waitingFor().isPresent())
                                .count()
                        == waiters);
    }

    @Test
    void idsThatAreNoIntegersAreFoundByTheirKey() throws Exception {
        LockKey uuid = LockKey.row("client", UUID.randomUUID());
        LockKey composite = LockKey.row("seat", 1, "x");
        LockKey big = LockKey.row("event", 1L << 40);
        LockKey name = LockKey.name("nightly report of " + database.schema());
        List<LockKey> keys = List.of(uuid, composite, big, name);
        for (LockKey key : keys) {
            lock(alice, key);
            assertThat(of(key)).as(key.toString()).singleElement().satisfies(line -> {
                assertThat(line.pid()).isEqualTo(alice.pid());
                assertThat(line.key()).isInstanceOf(KeyWithoutRow.RawNumber.class);
            });
        }
        assertThat(all()).hasSize(4);
        assertThat(of(LockKey.row("client", UUID.randomUUID()))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x1_0000_0000L, 0xFFFF_FFFFL, -0x1_0000_0000L})
    void rawNumberIsFoundWithBothItsHalves(long number) throws Exception {
        lock(alice, LockKey.number(number));
        assertThat(of(LockKey.number(number))).extracting(Line::key).containsExactly(LockKey.number(number));
        assertThat(of(LockKey.number(number ^ 1))).isEmpty();
        assertThat(of(LockKey.number(number ^ 0x2_0000_0000L))).isEmpty();
        assertThat(of(LockKey.pair((int) (number >> 32), (int) number))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void rawPairIsFoundWithBothItsNumbers(int number) throws Exception {
        LockKey pair = LockKey.pair(-3, number);
        lock(alice, pair);
        assertThat(of(pair)).extracting(Line::key).containsExactly(pair);
        assertThat(of(LockKey.pair(number, -3))).isEmpty();
        assertThat(of(LockKey.pair(-3, number ^ 1))).isEmpty();
        assertThat(of(LockKey.number((-3L << 32) | (number & 0xFFFF_FFFFL)))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-7, Integer.MIN_VALUE, Integer.MAX_VALUE, 0})
    void idIsShownAsTheNumberItIs(int id) throws Exception {
        LockKey key = LockKey.row("account", id);
        lock(alice, key);
        assertThat(of(key)).extracting(Line::key).containsExactly(key);
        assertThat(all()).hasSize(1);
    }

    @Test
    void tableIsNamedSoThatItIsAKeyAgain() throws Exception {
        LockKey key = LockKey.row("\"Odd Name\"", 1);
        lock(alice, key);
        assertThat(of(key).get(0).key()).isEqualTo(key);
    }

    @Test
    void locksOfHandWrittenSqlAreShown() throws Exception {
        alice.execute("select pg_advisory_xact_lock('account'::regclass::oid::int4, 42)");
        bob.execute("select pg_advisory_lock_shared(hashtextextended('" + database.schema() + "', 0))");
        database.closing(() -> bob.execute("select pg_advisory_unlock_all()"));
        assertThat(of(KEY)).extracting(Line::key).containsExactly(KEY);
        long number = Long.parseLong(database.query("select hashtextextended('" + database.schema() + "', 0)"));
        assertThat(of(LockKey.number(number))).singleElement().satisfies(line -> {
            assertThat(line.isShared()).isTrue();
            assertThat(line.pid()).isEqualTo(bob.pid());
        });
        assertThat(all()).hasSize(2);
    }

    @Test
    void locksOfOtherDatabasesAreNotShown() throws Exception {
        String name = database.schema() + "_other";
        database.execute("create database " + name);
        database.closing(() -> database.execute("drop database " + name + " (force)"));
        PGSimpleDataSource elsewhere = database.dataSource();
        elsewhere.setDatabaseName(name);
        try (Connection there = begin(elsewhere)) {
            TestDatabase.execute(
                    there,
                    "select pg_advisory_xact_lock(" + oid("account") + "::int4, 42)",
                    "select pg_advisory_xact_lock(77)");
            assertThat(all()).isEmpty();
            assertThat(of(KEY)).isEmpty();
            assertThat(of(LockKey.number(77))).isEmpty();
            assertThat(mine(new LockInspector(there).all())).hasSize(2);
            there.rollback();
        }
    }

    @Test
    void looksInAnyTransactionAndChangesNothing() throws Exception {
        lock(alice, KEY);
        assertThat(mine(bob.run(c -> new LockInspector(c).all()))).hasSize(1);
        lock(bob, LockKey.row("account", 1));
        assertThat(mine(bob.run(c -> new LockInspector(c).all()))).hasSize(2);
        bob.rollback();
        bob.execute("set transaction isolation level serializable read only");
        assertThat(mine(bob.run(c -> new LockInspector(c).all()))).hasSize(1);
        assertThat(mine(bob.run(c -> new LockInspector(c).of(KEY)))).hasSize(1);
        assertThat(all()).hasSize(1);
    }

    @Test
    void unprivilegedRoleSeesTheLocksButNotWhatOthersDo() throws Exception {
        lock(alice, KEY);
        bob.execute("set role " + database.role());
        List<Line> lines = new ArrayList<>(bob.run(c -> new LockInspector(c).of(KEY)));
        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.key()).isEqualTo(KEY);
            assertThat(line.pid()).isEqualTo(alice.pid());
            assertThat(line.isGranted()).isTrue();
            assertThat(line.state()).isEmpty();
            assertThat(line.transactionAge()).isEmpty();
            assertThat(line.query()).isEmpty();
        });
        List<Line> all = bob.run(c -> new LockInspector(c).all());
        assertThat(all).extracting(Line::pid).contains(alice.pid());
    }

    @Test
    void unknownTableIsAnErrorOfTheServer() throws Exception {
        assertThatThrownBy(() -> of(LockKey.row("no_such_table", 1)))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("no_such_table");
        assertIllegal(() -> of(null));
        assertIllegal(() -> new LockInspector(null).all(), "connection is null");
    }

    @Test
    void severalLocksOfASessionAreAllShown() throws Exception {
        alice.run(c -> locks.in(c).lock(forUpdate(LockKey.rows("account", List.of(3, 1, 2)))));
        assertThat(all())
                .extracting(Line::key)
                .containsExactly(LockKey.row("account", 1), LockKey.row("account", 2), LockKey.row("account", 3));
    }
}
