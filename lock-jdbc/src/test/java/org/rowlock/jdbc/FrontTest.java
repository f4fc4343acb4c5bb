package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgStatement;
import org.postgresql.util.PSQLException;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/**
 * The advisory lock in front of the statement: which, when, and never where it could do harm. Here it goes wherever it
 * may.
 */
class FrontTest {
    private static final String LOCK = "select * from account where id = 1 for update";
    private static final String WRITE = "update account set balance = balance + 1 where id = 1";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            3,
            "create table big(id bigint primary key, v int)",
            "insert into big values (7), (5000000000)",
            "create table word(id text primary key, v int)",
            "insert into word values ('a b'), ('42')",
            "create table thing(id uuid primary key, v int)",
            "insert into thing values ('6f1ed002-ab59-4b1b-8b1e-3c1a7d2f9e10')",
            "create table line(id int, item int, v int, primary key (id, item))",
            "insert into line values (1, 2)",
            "create table part(id int primary key, v int) partition by range (id)",
            "create table part_1 partition of part for values from (0) to (10)",
            "insert into part values (1)");

    private GatedDatabase fronted;

    @BeforeEach
    void open() throws SQLException {
        fronted = of(database.dataSource());
    }

    private static GatedDatabase of(DataSource dataSource) throws SQLException {
        // The gate lets many in, so that they meet at the server.
        GatedDatabase gated =
                new GatedDatabase(dataSource, DropInMode.QUEUE, GatedDatabase.fronts(Duration.ofHours(1)));
        gated.learn("account");
        return gated;
    }

    @AfterEach
    void nothingIsLeftInTheGate() {
        assertThat(fronted.gate.queued()).isZero();
        assertThat(fronted.gate.inside()).isZero();
    }

    private Session session(String name) throws SQLException {
        return database.session(name, fronted.dataSource).prepared();
    }

    /** Whether a transaction that does this, and has begun with nothing else, has an advisory lock. */
    private boolean fronts(Session.Action work) throws Exception {
        Session session = session("one");
        session.act(work);
        boolean fronts = session.advisoryLocks() > 0;
        session.rollback();
        return fronts;
    }

    private static boolean execute(Connection connection, String sql, Object... binds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < binds.length; i++) {
                statement.setObject(i + 1, binds[i]);
            }
            return statement.execute();
        }
    }

    private boolean fronts(String... statements) throws Exception {
        return fronts(connection -> {
            for (String sql : statements) {
                execute(connection, sql);
            }
        });
    }

    /** @param first another that locks the row */
    private record SameKey(String first, String sql, List<Object> binds) {}

    /** However a statement names the row, and whatever it is sent with. */
    @Test
    void statementsOfOneRowHaveOneKey() throws Exception {
        String uuid = "6f1ed002-ab59-4b1b-8b1e-3c1a7d2f9e10";
        fronted.learn("big", "line", "part", "part_1", database.schema() + ".account");
        try (Connection connection = fronted.dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("delete from word where id = 'none'");
            statement.execute("delete from thing where id = '6f1ed002-ab59-4b1b-8b1e-3c1a7d2f9e11'");
        }
        String big = "select * from big where id = %s for update";
        String word = "select * from word where id = '%s' for update";
        String thing = "update thing set v = 2 where id = '" + uuid + "'";
        String part = "delete from part_1 where id = 1";
        List<SameKey> keys = List.of(
                new SameKey(WRITE, LOCK, List.of()),
                new SameKey(LOCK, "select * from account where id = ? for update", List.of(1)),
                new SameKey(LOCK, "update Account a set balance = ? where a.id = ?", List.of(5, 1L)),
                new SameKey(LOCK, "delete from account where id = ?", List.of(new BigDecimal("1"))),
                new SameKey(big.formatted(7), "update big set v = 1 where id = ?", List.of(7L)),
                new SameKey(
                        big.formatted(5_000_000_000L), "update big set v = 1 where id = ?", List.of(5_000_000_000L)),
                new SameKey(word.formatted("a b"), "update word set v = 1 where id = ?", List.of("a b")),
                new SameKey(word.formatted("42"), "update word set v = 1 where id = ?", List.of("42")),
                new SameKey(thing, "select v from thing where id = ? for update", List.of(UUID.fromString(uuid))),
                new SameKey(
                        thing, "update thing set v = 1 where id = '" + uuid.toUpperCase(Locale.ROOT) + "'", List.of()),
                new SameKey(
                        "delete from line where id = 1 and item = 2",
                        "update line set v = 1 where item = ? and id = ?",
                        List.of(2, 1)),
                new SameKey(part, "update part_1 set v = 1 where id = ?", List.of(1)));
        Session holder = session("holder");
        Session other = session("other");
        for (SameKey each : keys) {
            holder.execute(each.first());
            Step<Boolean> step = other.start(
                    connection -> execute(connection, each.sql(), each.binds().toArray()));
            step.awaitBlockedBy(holder);
            assertThat(database.query("select locktype from pg_locks where not granted and pid = " + other.pid()))
                    .as(each.toString())
                    .isEqualTo("advisory");
            holder.rollback();
            step.get();
            other.rollback();
        }
    }

    @Test
    void onlyTheFirstLockOfATransactionIsFronted() throws Exception {
        assertThat(fronts(LOCK)).isTrue();
        assertThat(fronts("set local work_mem = '1MB'", LOCK)).isFalse();
        assertThat(fronts("select * from account where id = 2 for update nowait", LOCK))
                .isFalse();
        assertThat(fronts("insert into account values (9)", LOCK)).isFalse();
        assertThat(fronts(WRITE + " and balance = 0")).isFalse();
        assertThat(fronts(LOCK.replace("for", "and balance < 5 for"))).isFalse();
        Session session = session("several");
        session.execute(LOCK);
        session.execute("update account set balance = 1 where id = 2");
        assertThat(session.advisoryLocks()).isOne();
        session.rollback();
    }

    /** No statement waits for a row that it does not see, so two cannot stand in a circle of such rows. */
    @Test
    void rowsThatAreNotThereAreWaitedForInNoOrder() throws Exception {
        Session one = session("one");
        Session other = session("other");
        for (String sql : List.of(LOCK, WRITE, "delete from account where id = 1")) {
            one.execute(sql.replace("= 1", "= 8"));
            other.execute(sql.replace("= 1", "= 9"));
            one.execute(sql.replace("= 1", "= 9"));
            other.execute(sql.replace("= 1", "= 8"));
            assertThat(one.advisoryLocks()).isZero();
            assertThat(other.advisoryLocks()).isZero();
            one.commit();
            other.commit();
        }
    }

    /** The look in front finds the row by the conditions of the statement, word for word. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account as a set balance = 1 where (a.id) in (?)",
                "update only account set balance = 1 where id in (cast(? as bigint)) returning id",
                "delete from account a where a.id = ?::int -- by its id",
                "select * from /* the */ account where id = ? -- and no more\n for update",
                "select id as x from account a where id = ? order by x limit 1 for no key update of a"
            })
    void theRowIsFoundAsTheStatementFindsIt(String sql) throws Exception {
        for (int id : new int[] {1, 9}) {
            assertThat(fronts(connection -> execute(connection, sql, id)))
                    .as(sql + " of " + id)
                    .isEqualTo(id == 1);
            assertThat(fronts(sql.replace("?", "" + id)))
                    .as(sql + " with its value " + id)
                    .isEqualTo(id == 1);
        }
    }

    /** By another thread, as it had its turn: nothingIsLeftInTheGate. */
    @Test
    void aStatementThatIsClosedByThenFailsAsTheDriversDoes() throws Exception {
        try (Connection connection = TestDatabase.begin(fronted.dataSource);
                PreparedStatement statement = connection.prepareStatement(WRITE)) {
            statement.unwrap(PgStatement.class).close();
            assertThatThrownBy(statement::executeUpdate)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("closed");
        }
    }

    /** Who has read holds the tables; who waits for a lock in front is to hold nothing. */
    @Test
    void whoHasReadBeforeIsNotFronted() throws Exception {
        Session reader = session("reader");
        Session other = session("other");
        reader.execute("select * from word");
        fronted.takeFrontAlone(other, "account", "3");
        reader.execute(WRITE.replace("= 1", "= 3"));
        assertThat(reader.advisoryLocks()).isZero();
        Step<Boolean> others = other.startExecute("lock table word");
        others.awaitBlockedBy(reader);
        reader.commit();
        others.get();
        other.commit();
    }

    @Test
    void whoHoldsAdvisoryLocksOfTheSessionIsNotFrontedAnyMore() throws Exception {
        Session session = session("own");
        session.execute(LOCK);
        assertThat(session.advisoryLocks()).isOne();
        session.rollback();
        session.execute("select pg_advisory_lock(4711)");
        session.commit();
        session.execute(LOCK);
        assertThat(session.advisoryLocks()).isOne();
        session.execute("select pg_advisory_unlock(4711)");
        assertThat(session.advisoryLocks()).isZero();
        session.rollback();
    }

    @Test
    void sharedModesNowaitSkipLockedAndBatchesAreNeverFronted() throws Exception {
        for (String tail :
                List.of("share", "key share", "update nowait", "update skip locked", "no key update nowait")) {
            assertThat(fronts("select * from account where id = 1 for " + tail))
                    .as(tail)
                    .isFalse();
        }
        for (int size : new int[] {1, 2}) {
            assertThat(fronts(connection -> {
                        try (PreparedStatement update =
                                connection.prepareStatement("update account set balance = 1 where id = ?")) {
                            for (int i = 1; i <= size; i++) {
                                update.setInt(1, i);
                                update.addBatch();
                            }
                            assertThat(update.executeBatch()).hasSize(size);
                        }
                    }))
                    .isFalse();
        }
        assertThat(fronts("select 1; " + LOCK)).isFalse();
    }

    @Test
    void cursorsGeneratedKeysTextsAndWhatIsSetUpOtherwiseAreNotFronted() throws Exception {
        List<Session.Action> all = List.of(
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
                        statement.setFetchSize(10);
                        assertThat(statement.executeQuery().next()).isTrue();
                    }
                },
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(
                            LOCK, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
                        assertThat(statement.executeQuery().first()).isTrue();
                    }
                },
                connection -> {
                    try (Statement statement = connection.createStatement()) {
                        assertThat(statement.executeQuery(LOCK).next()).isTrue();
                    }
                },
                connection -> {
                    try (PreparedStatement update = connection.prepareStatement(WRITE, new String[] {"balance"})) {
                        assertThat(update.executeUpdate()).isOne();
                        assertThat(update.getGeneratedKeys().next()).isTrue();
                    }
                },
                connection -> {
                    try (Statement update = connection.createStatement()) {
                        assertThat(update.executeUpdate(WRITE, Statement.RETURN_GENERATED_KEYS))
                                .isOne();
                    }
                });
        for (Session.Action each : all) {
            assertThat(fronts(each)).isFalse();
        }
    }

    /** The driver takes the next result of that statement for the keys. */
    @Test
    void afterAFailedCallForKeysAStatementReturnsWhatTheDriverReturns() throws Exception {
        for (DataSource dataSource : List.of(database.dataSource(), fronted.dataSource)) {
            try (Connection connection = dataSource.getConnection();
                    PreparedStatement update = connection.prepareStatement(WRITE + " returning balance")) {
                assertThatThrownBy(() -> update.executeUpdate("update nowhere set v = 1", new String[] {"id"}))
                        .isInstanceOf(SQLException.class);
                assertThat(update.execute()).isFalse();
                assertThat(update.execute()).isTrue();
            }
        }
    }

    /** What is read once, or may change until it is sent, is not sent again on another statement. */
    @Test
    void valuesAreSentAsTheyWereSetOrTheStatementIsNotFronted() throws Exception {
        database.execute(
                "create table value(id int primary key, b bytea, t text, ts timestamp, d date, f float8, n numeric, z boolean)");
        database.execute("insert into value values (1)");
        fronted.learn("value");
        String sql = "update value set t = ?, ts = ?, d = ?, f = ?, n = ?, z = ? where id = ?";
        assertThat(fronts(connection -> {
                    try (PreparedStatement update = connection.prepareStatement(sql)) {
                        java.sql.Timestamp timestamp = java.sql.Timestamp.valueOf("2026-01-02 03:04:05");
                        update.setString(1, "ü");
                        update.setTimestamp(2, timestamp);
                        update.setObject(3, java.time.LocalDate.of(2026, 2, 3));
                        update.setDouble(4, 1.5);
                        update.setBigDecimal(5, new BigDecimal("2.50"));
                        update.setBoolean(6, true);
                        update.setInt(7, 1);
                        timestamp.setTime(0);
                        assertThat(update.executeUpdate()).isOne();
                        update.setNull(1, java.sql.Types.VARCHAR);
                        update.setObject(4, 2.5f);
                        assertThat(update.executeUpdate()).isOne();
                    }
                    try (Statement read = connection.createStatement();
                            ResultSet row =
                                    read.executeQuery("select t, ts::text, d::text, f, n::text, z from value")) {
                        row.next();
                        assertThat(row.getString(1)).isNull();
                        assertThat(row.getString(3)).isEqualTo("2026-02-03");
                        assertThat(row.getDouble(4)).isEqualTo(2.5);
                        assertThat(row.getString(5)).isEqualTo("2.50");
                        assertThat(row.getBoolean(6)).isTrue();
                    }
                }))
                .isTrue();
        assertThat(fronts(connection -> {
                    try (PreparedStatement update =
                            connection.prepareStatement("update value set b = ? where id = ?")) {
                        update.setString(1, "set before");
                        update.setBinaryStream(1, new java.io.ByteArrayInputStream(new byte[] {1, 2}));
                        update.setInt(2, 1);
                        assertThat(update.executeUpdate()).isOne();
                    }
                }))
                .isFalse();
    }

    @Test
    void oneStatementRunsWithAndWithoutTheLockInFront() throws Exception {
        Session session = session("again");
        session.act(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("select * from account where id = ? for update")) {
                for (int id = 1; id <= 3; id++) {
                    for (int time = 0; time < 7; time++) {
                        select.setInt(1, id);
                        ResultSet first = select.executeQuery();
                        assertThat(first.next()).isTrue();
                        assertThat(first.getInt(1)).isEqualTo(id);
                        // The second of the transaction goes without.
                        assertThat(select.execute()).isTrue();
                        assertThat(first.isClosed()).isTrue();
                        assertThat(select.getResultSet().next()).isTrue();
                        assertThat(select.getMoreResults()).isFalse();
                        assertThat(select.getUpdateCount()).isEqualTo(-1);
                        connection.commit();
                    }
                }
            }
        });
        assertThat(fronted.figure("account", "fronted")).isEqualTo(21);
    }

    /** In autocommit the driver itself sends a statement again whose plan at the server is stale or gone. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inAutocommitAStatementRunsAgainWhereTheDriverWouldRunItAgain(boolean isStale) throws Exception {
        try (Connection connection = fronted.dataSource.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("select * from account where id = ? for update")) {
            select.setInt(1, 1);
            for (int time = 0; time < 7; time++) {
                select.execute();
            }
            if (isStale) {
                database.execute("alter table account add column more int");
            } else {
                TestDatabase.execute(connection, "do 'begin execute ''deallocate all''; end'");
            }
            assertThat(select.executeQuery().next()).isTrue();
        }
        assertThat(fronted.figure("account", "frontGivenUp")).isOne();
    }

    @Test
    void aResultThatWasKeptIsClosedWhenTheStatementRunsAgain() throws Exception {
        assertAsThroughTheDriver(connection -> {
            PreparedStatement select = connection.prepareStatement("select * from account where id = ? for update");
            select.setInt(1, 1);
            ResultSet kept = select.executeQuery();
            select.getMoreResults(Statement.KEEP_CURRENT_RESULT);
            select.execute();
            return List.of(kept.isClosed(), select.getResultSet().next());
        });
    }

    /** The driver refuses it, and neither text runs in its place. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set balance = 7 where id = 2",
                "update account set balance = balance + 1 where id = ?"
            })
    void aPreparedStatementRefusesATextAsTheDriverDoes(String text) throws Exception {
        Session session = session("text");
        session.act(connection -> {
            try (PreparedStatement update =
                    connection.prepareStatement("update account set balance = balance + 1 where id = ?")) {
                for (int time = 0; time < 2; time++) {
                    update.setInt(1, 1);
                    assertThat(update.executeUpdate()).isEqualTo(1);
                    connection.rollback();
                }
                update.setInt(1, 1);
                assertThatThrownBy(() -> update.executeUpdate(text)).isInstanceOf(SQLException.class);
                assertThatThrownBy(() -> update.execute(text)).isInstanceOf(SQLException.class);
                assertThatThrownBy(() -> update.executeQuery(text)).isInstanceOf(SQLException.class);
                connection.commit();
            }
        });
        assertThat(fronted.figure("account", "fronted")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "fronted"})
    void theHolderTouchesTheRowAgainWhileAnotherWaitsWithItsKey(String held) throws Exception {
        Session holder = session("holder");
        Session waiter = session("waiter");
        fronted.dropIn.set("mode", held.equals("plain") ? "observe" : "queue");
        holder.execute(LOCK);
        fronted.dropIn.set("mode", DropInMode.QUEUE.name());
        Step<Boolean> waiters = waiter.startExecute(WRITE);
        waiters.awaitBlockedBy(holder);
        holder.execute(WRITE);
        holder.commit();
        waiters.get();
        waiter.commit();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "fronted"})
    void behindAnUpdateOfNoRowNobodyStandsInACircle(String held) throws Exception {
        Session absent = session("absent");
        Session other = session("other");
        fronted.dropIn.set("mode", held.equals("plain") ? "observe" : "queue");
        other.execute("select * from account where id = 2 for update");
        fronted.dropIn.set("mode", DropInMode.QUEUE.name());
        fronted.takeFrontAlone(absent, "account", "3");
        Step<Boolean> step = absent.startExecute("select * from account where id = 2 for update");
        step.awaitBlockedBy(other);
        other.execute(WRITE.replace("= 1", "= 3"));
        other.commit();
        step.get();
        absent.commit();
    }

    @Test
    void whoIsFrontedReadsFresher() throws Exception {
        for (DropInMode mode : List.of(DropInMode.OBSERVE, DropInMode.QUEUE)) {
            fronted.dropIn.set("mode", mode.name());
            Session first = session("first " + mode);
            Session second = session("second " + mode);
            first.execute("delete from account where id = 1");
            first.execute("insert into account values (1)");
            Step<Integer> step = second.start(connection -> Waiters.update(connection, WRITE));
            step.awaitBlockedBy(first);
            first.commit();
            assertThat(step.get()).isEqualTo(mode == DropInMode.QUEUE ? 1 : 0);
            second.commit();
        }
    }

    @Test
    void whoWaitsForTheKeyIsCancelledByTheServer() throws Exception {
        Session holder = session("holder");
        Session waiter = session("waiter");
        fronted.takeFrontAlone(holder, "account", "3");
        AtomicReference<Statement> running = new AtomicReference<>();
        Step<Boolean> step = waiter.start(connection -> {
            PreparedStatement statement = connection.prepareStatement("select * from account where id = ? for update");
            statement.setInt(1, 3);
            running.set(statement);
            return statement.execute();
        });
        step.awaitBlockedBy(holder);
        running.get().cancel();
        assertThat(step.state()).isEqualTo("57014");
        assertThat(waiter.startExecute("select 1").state()).isEqualTo("25P02");
        waiter.rollback();
        holder.commit();
    }

    @Test
    void inAutocommitTheLockLastsAsLongAsTheStatement() throws Exception {
        Session holder = database.session("holder");
        Session other = session("other");
        holder.execute(LOCK);
        Step<Integer> step = other.start(connection -> {
            connection.setAutoCommit(true);
            return Waiters.update(connection, WRITE);
        });
        step.awaitBlockedBy(holder);
        assertThat(other.advisoryLocks()).isOne();
        holder.commit();
        assertThat(step.get()).isOne();
        assertThat(other.advisoryLocks()).isZero();
    }

    /** In a database of its own, as rights and functions of the catalog belong to a database. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "revoke execute on function pg_catalog.pg_advisory_xact_lock(bigint) from public",
                "revoke execute on function pg_catalog.pg_current_xact_id_if_assigned() from public",
                // The server would call the functions of a policy once more.
                "alter table account enable row level security; create policy p on account using (random() < 2)",
                "set allow_system_table_mods = on; create function pg_catalog.create_intermediate_result() returns int language sql as 'select 1'"
            })
    void withoutTheRightWithAPolicyOrOnCitusNothingIsFrontedAndNothingFails(String change) throws Exception {
        String name = "front_" + database.schema();
        database.execute("create database " + name, "create role " + name + " login password 'secret'");
        try {
            PGSimpleDataSource admin = database.dataSource();
            admin.setDatabaseName(name);
            try (Connection connection = admin.getConnection()) {
                TestDatabase.execute(
                        connection,
                        "create table public.account(id int primary key, balance int not null default 0)",
                        "insert into public.account values (1)",
                        "grant all on public.account to " + name);
            }
            PGSimpleDataSource role = database.dataSource();
            role.setDatabaseName(name);
            role.setUser(name);
            role.setPassword("secret");
            GatedDatabase before = of(role);
            writeOnce(before);
            assertThat(before.figure("account", "fronted")).isOne();
            try (Connection connection = admin.getConnection()) {
                TestDatabase.execute(connection, change);
            }
            GatedDatabase after = of(role);
            writeOnce(after);
            assertThat(after.figure("account", "fronted")).isZero();
            // Where it was sent and refused the statement went without.
            assertThat(after.figure("account", "frontGivenUp")).isEqualTo(change.startsWith("revoke") ? 1 : 0);
        } finally {
            database.execute("drop database if exists " + name + " with (force)", "drop role if exists " + name);
        }
    }

    private static void writeOnce(GatedDatabase gated) throws SQLException {
        try (Connection connection = TestDatabase.begin(gated.dataSource)) {
            assertThat(Waiters.update(connection, WRITE)).isOne();
            connection.commit();
        }
    }

    /** The same on a connection of the driver's, and with the lock in front, several times, each a first lock. */
    private void assertAsThroughTheDriver(Session.Body<?> look) throws Exception {
        for (int time = 0; time < 3; time++) {
            Object expected;
            try (Connection plain = TestDatabase.begin(database.dataSource())) {
                expected = look.run(plain);
                plain.rollback();
            }
            try (Connection connection = TestDatabase.begin(fronted.dataSource)) {
                assertThat(look.run(connection)).isEqualTo(expected);
                connection.rollback();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set no = 1 where id = %s",
                "  update account set no = 1 where id = %s",
                "\n\tupdate account\n set no = 1 where id = %s",
                "/* one */ update account set no = 1 where id = %s;",
                "-- one\nupdate account set no = 1 where id = %s",
                "select no from account where id = %s for update",
                "select id from account where id = %s::text for update",
                "select id from account where other.id = %s for update"
            })
    void errorsSayTheirPositionInTheTextOfTheProgram(String text) throws Exception {
        assertSamePosition(connection -> TestDatabase.execute(connection, text.formatted("1")));
        assertSamePosition(connection -> execute(connection, text.formatted("?"), 1));
    }

    /** The driver numbers them, and those of the lock come first. */
    @Test
    void errorsSayTheirPositionBehindManyParameters() throws Exception {
        String text = "update account set balance = ?" + " + ?".repeat(12) + ", no = 1 where id = ?";
        assertSamePosition(connection ->
                execute(connection, text, Collections.nCopies(14, 1).toArray()));
    }

    private void assertSamePosition(Session.Action failing) throws Exception {
        assertAsThroughTheDriver(connection -> {
            try {
                failing.run(connection);
            } catch (PSQLException e) {
                return e.getServerErrorMessage().getPosition();
            }
            throw new AssertionError("no error");
        });
    }

    @Test
    void aStatementIsClosedWithItsResultWhereThatWasSaidAfterItRan() throws Exception {
        assertAsThroughTheDriver(connection -> {
            PreparedStatement statement = connection.prepareStatement(LOCK.replace("1", "?"));
            statement.setInt(1, 1);
            ResultSet rows = statement.executeQuery();
            statement.closeOnCompletion();
            boolean before = statement.isClosed();
            rows.close();
            return List.of(before, statement.isClosed());
        });
        assertAsThroughTheDriver(connection -> {
            Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(LOCK);
            statement.closeOnCompletion();
            rows.close();
            return List.of(statement.isClosed(), rows.isClosed());
        });
        assertThat(fronted.figure("account", "fronted")).isEqualTo(3);
    }
}
