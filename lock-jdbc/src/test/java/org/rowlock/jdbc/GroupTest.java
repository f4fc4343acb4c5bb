package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.jdbc.Waiters.Body;
import org.rowlock.jdbc.Waiters.Waiter;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.jdbc.internal.wrap.RowlockConnection;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** UPDATEs in autocommit of those who wait for one row: who goes with whom, and what becomes of each. */
class GroupTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null default 0 check (balance >= 0),"
                    + " log text not null default '', at timestamptz[] not null default '{}')",
            "insert into account values (1), (2)");

    private GatedDatabase gated;

    @BeforeEach
    void open() throws Exception {
        gated = GatedDatabase.inGroups(database, 64);
        gated.learn("account");
    }

    /** The same on connections that are set up otherwise. */
    private void openOn(DataSource connections) throws SQLException {
        gated = GatedDatabase.inGroups(connections, 8);
        gated.learn("account");
    }

    @AfterEach
    void nothingIsLeftInTheGate() {
        assertThat(gated.gate.queued()).isZero();
        assertThat(gated.gate.inside()).isZero();
    }

    private long figure(String name) {
        return gated.figure("account", name);
    }

    /** In how many transactions the row was changed: each has a now() of its own. */
    private int transactions() throws SQLException {
        return Integer.parseInt(database.query("select count(distinct a) from account, unnest(at) as a where id = 1"));
    }

    private List<String> tags() throws SQLException {
        return Arrays.asList(
                database.query("select log from account where id = 1").split("/", -1));
    }

    /** What callers get who wait one behind the other in the JVM, once the row is released. */
    @SafeVarargs
    private <T> List<Waiter<T>> together(Body<T>... bodies) throws Exception {
        List<Waiter<T>> members = new ArrayList<>();
        try (Waiters waiters = new Waiters(database, gated)) {
            for (Body<T> body : bodies) {
                members.add(waiters.add(body));
            }
            waiters.release();
        }
        return members;
    }

    private static Body<Integer> add(String tag) {
        return connection -> Waiters.add(connection, tag);
    }

    private interface Use<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    /** The statement of {@link #add}, to be used otherwise. */
    private static <T> Body<T> prepared(String tag, Use<T> use) {
        return connection -> {
            try (PreparedStatement statement = connection.prepareStatement(Waiters.ADD)) {
                statement.setString(1, tag);
                statement.setInt(2, 1);
                return use.of(statement);
            }
        };
    }

    @Test
    void thoseWhoWaitShareATransaction() throws Exception {
        for (Waiter<Integer> each : together(add("/a"), add("/b"), add("/c"), add("/d"))) {
            assertThat(each.get()).isOne();
        }
        assertThat(tags()).containsExactly("", "a", "b", "c", "d");
        assertThat(transactions()).isOne();
        assertThat(figure("grouped")).isEqualTo(4);
        assertThat(figure("groups")).isOne();
        assertThat(figure("groupsUndone")).isZero();
    }

    /** Each as it was when it was set, as the driver has it. */
    @Test
    void datesAndBytesGoWithOthers() throws Exception {
        database.execute("alter table account add seen timestamp[] default '{}', add data bytea default ''");
        String sql = "update account set seen = seen || cast(? as timestamp), data = data || ?, at = at || now()"
                + " where id = ?";
        together(seen(sql, 1), seen(sql, 2));
        assertThat(figure("grouped")).isEqualTo(2);
        assertThat(database.query("select seen::text || ' ' || data::text from account where id = 1"))
                .isEqualTo("{\"2026-01-01 00:00:00\",\"2026-01-02 00:00:00\"} \\x0102");
    }

    private static Body<Integer> seen(String sql, int day) {
        return connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                Timestamp seen = Timestamp.valueOf("2026-01-0" + day + " 00:00:00");
                statement.setObject(1, seen);
                seen.setTime(0);
                statement.setBytes(2, new byte[] {(byte) day});
                statement.setInt(3, 1);
                return statement.executeUpdate();
            }
        };
    }

    @Test
    void offByDefault() throws Exception {
        gated = GatedDatabase.of(database, "account");
        together(add("/a"), add("/b"));
        assertThat(transactions()).isEqualTo(2);
        assertThat(figure("grouped")).isZero();
    }

    /** What a program may set of a statement, or ask it for afterwards. */
    private enum SetUp {
        FETCH_SIZE(statement -> statement.setFetchSize(1)),
        MAX_ROWS(statement -> statement.setMaxRows(1)),
        MAX_FIELD_SIZE(statement -> statement.setMaxFieldSize(1)),
        NO_ESCAPES(statement -> statement.setEscapeProcessing(false)),
        CLOSED_ON_COMPLETION(Statement::closeOnCompletion),
        NOT_POOLED(statement -> statement.setPoolable(false)),
        TIMEOUT(statement -> statement.setQueryTimeout(500)),
        RUN_BEFORE(statement -> statement.executeUpdate()),
        FAILED_BEFORE(statement -> {
            statement.setInt(2, 7);
            assertThatThrownBy(statement::executeQuery).isInstanceOf(SQLException.class);
            statement.setInt(2, 1);
        });

        private interface Setter {
            void set(PreparedStatement statement) throws SQLException;
        }

        private final Setter setter;

        SetUp(Setter setter) {
            this.setter = setter;
        }
    }

    private static String answers(Connection connection, SetUp setUp, boolean large) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("update account set balance = ? where id = ?")) {
            statement.setInt(1, 3);
            statement.setInt(2, 1);
            setUp.setter.set(statement);
            Object result = large ? (Object) statement.executeLargeUpdate() : (Object) statement.execute();
            String answers = result + " " + statement.getUpdateCount() + statement.getResultSet()
                    + statement.getLargeUpdateCount() + statement.getWarnings() + connection.getWarnings();
            answers += " " + statement.isClosed() + statement.getQueryTimeout() + statement.getMoreResults()
                    + statement.getUpdateCount();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                answers += keys.next();
            }
            return answers + statement.isClosed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachAnswersAsTheDriverDoesHoweverItIsSetUp(SetUp setUp) throws Exception {
        for (boolean large : new boolean[] {false, true}) {
            Body<String> body = connection -> answers(connection, setUp, large);
            try (Connection plain = database.dataSource().getConnection()) {
                for (Waiter<String> each : together(body, body, body)) {
                    assertThat(each.get()).isEqualTo(body.run(plain));
                }
            }
        }
        assertThat(figure("grouped")).isGreaterThanOrEqualTo(4);
    }

    /** The leader's statement has sent the values of others: its own are set again. */
    @Test
    void aStatementRunsAgainWithItsOwnValues() throws Exception {
        Body<Integer> twice =
                connection -> prepared("/" + Thread.currentThread().getName(), statement -> {
                            boolean rows = statement.execute();
                            return (rows ? 100 : 0) + statement.getUpdateCount() + statement.executeUpdate();
                        })
                        .run(connection);
        List<String> expected = new ArrayList<>();
        for (Waiter<Integer> each : together(twice, twice, twice)) {
            assertThat(each.get()).isEqualTo(2);
            expected.addAll(Collections.nCopies(2, each.thread.getName()));
        }
        expected.add("");
        assertThat(tags()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(figure("grouped")).isGreaterThanOrEqualTo(3);
    }

    @Test
    void oneThatFailsFailsAlone() throws Exception {
        String sql = "update account set balance = balance + ?, log = log || ? where id = 1";
        List<Waiter<Integer>> members = together(
                connection -> Waiters.update(connection, sql, 1, "/a"),
                connection -> Waiters.update(connection, sql, -5, "/b"),
                connection -> Waiters.update(connection, sql, 1, "/c"));
        assertThat(members.get(0).get()).isOne();
        assertThat(members.get(1).failure())
                .hasMessageContaining("account_balance_check")
                .hasFieldOrPropertyWithValue("SQLState", "23514");
        assertThat(members.get(2).get()).isOne();
        assertThat(tags()).containsExactlyInAnyOrder("", "a", "c");
        assertThat(figure("groupsUndone")).isOne();
        assertThat(figure("grouped")).isZero();
    }

    /** By the bytes that are sent the driver does not split a batch, but by the answers that it expects. */
    @Test
    void longValuesDoNotSplitAGroup() throws Exception {
        Body<Integer> body = add("x".repeat(200_000));
        try (Waiters waiters = new Waiters(database, gated)) {
            for (int i = 0; i < 20; i++) {
                waiters.add(body);
            }
            waiters.release();
        }
        assertThat(transactions()).isOne();
        assertThat(figure("grouped")).isEqualTo(20);
    }

    /** Why no group is larger than JdbcSettings.MOST_IN_GROUP. */
    @ParameterizedTest
    @ValueSource(ints = {2, JdbcSettings.MOST_IN_GROUP, 400})
    void theDriverSendsSoManyInOneTransaction(int size) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(Waiters.ADD)) {
            for (int i = 0; i < size; i++) {
                statement.setString(1, "x");
                statement.setInt(2, 1);
                statement.addBatch();
            }
            assertThat(statement.executeLargeBatch()).hasSize(size).containsOnly(1);
        }
        if (size <= JdbcSettings.MOST_IN_GROUP) {
            assertThat(transactions()).isOne();
        } else {
            assertThat(transactions()).isGreaterThan(1);
        }
    }

    @Test
    void aLargerGroupIsRefused() {
        assertThatThrownBy(() -> gated.dropIn.set("largestGroup", "129"))
                .hasMessageContaining("129")
                .hasMessageContaining("128");
        assertThatThrownBy(() -> gated.dropIn.set("largestGroup", "many")).hasMessageContaining("<many>");
        gated.dropIn.set("largestGroup", "64");
        assertThat(gated.dropIn.getSettings().get("largestGroup")).isEqualTo("64");
        gated.dropIn.set("largestGroup", "1");
        assertThat(gated.dropIn.getSettings().get("largestGroup")).isEqualTo("1");
    }

    private enum Alteration {
        SET("set application_name = 'other'"),
        ROLE("set role none"),
        SEARCH_PATH("select set_config('search_path', current_setting('search_path'), false)"),
        VARIABLE("set app.tenant = '7'"),
        TEMPORARY("create temp table t(a int)"),
        TEMPORARY_INTO("select 1 as a into temp t"),
        FUNCTION("select lo_creat(-1)"),
        CALL(connection -> {
            try (Statement statement = connection.prepareCall("{? = call pg_backend_pid()}")) {
                assertThat(statement).isNotNull();
            }
            try (var call = connection.prepareCall("{call pg_stat_clear_snapshot()}")) {
                call.execute();
            }
        }),
        BATCH(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("select 1");
                statement.addBatch("set app.tenant = '7'");
                statement.executeBatch();
            }
        }),
        SCHEMA(connection -> connection.setSchema(connection.getSchema())),
        ISOLATION(connection -> connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ)),
        CLIENT_INFO(connection -> connection.setClientInfo("ApplicationName", "other")),
        NETWORK_TIMEOUT(connection -> connection.setNetworkTimeout(Runnable::run, 600_000)),
        HANDED_OUT(connection -> connection.unwrap(PGConnection.class).getBackendPID()),
        HANDED_OUT_BY_STATEMENT(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 1")) {
                rows.unwrap(org.postgresql.jdbc.PgResultSet.class).getRow();
            }
        });

        private final Session.Action alter;

        Alteration(String sql) {
            this(connection -> TestDatabase.execute(connection, sql));
        }

        Alteration(Session.Action alter) {
            this.alter = alter;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAlteredSessionGoesAlone(Alteration alteration) throws Exception {
        Body<Integer> altered = connection -> {
            alteration.alter.run(connection);
            // Under another search_path the table is another.
            Waiters.update(connection, "delete from account where id = ?", -1);
            return Waiters.add(connection, "/b");
        };
        together(add("/a"), altered, add("/c"));
        assertThat(tags()).containsExactly("", "a", "b", "c");
        assertThat(transactions()).isEqualTo(3);
        boolean isSeenWhenCompared = alteration == Alteration.NETWORK_TIMEOUT || alteration == Alteration.CLIENT_INFO;
        assertThat(figure("alone.SESSION")).isEqualTo(isSeenWhenCompared ? 0 : 1);
        assertThat(figure("grouped")).isZero();
    }

    /** The driver refuses to change it within a transaction. */
    @Test
    void anIsolationThatCannotBeRestoredGoesAlone() throws Exception {
        Connection own = database.closing(gated.dataSource.getConnection());
        Connection open = OneConnection.of(own).getConnection();
        addTwo(open);
        assertThat(figure("grouped")).isEqualTo(2);
        own.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        own.setAutoCommit(false);
        TestDatabase.execute(own, "select 1");
        assertThatThrownBy(() -> own.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED))
                .hasFieldOrPropertyWithValue("SQLState", "25001");
        own.rollback();
        own.setAutoCommit(true);
        addTwo(open);
        assertThat(figure("grouped")).isEqualTo(2);
    }

    /** One on the given connection, and another behind it. */
    private void addTwo(Connection first) throws Exception {
        try (Waiters waiters = new Waiters(database, gated)) {
            waiters.add(first, add("/a"));
            waiters.add(add("/b"));
            waiters.release();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select count(*) from account",
                "select nextval('pg_temp.s')",
                "insert into account (id) values (3)",
                "set local work_mem = '1MB'",
                "begin; rollback",
                "set app.tenant = '7'"
            })
    void aStatementThatMayAlterTheSessionMakesItGoAlone(String sql) throws Exception {
        boolean alters = sql.contains("tenant") || sql.contains(";");
        Body<Integer> first = connection -> {
            try {
                TestDatabase.execute(connection, sql);
            } catch (SQLException e) {
                // Whether it succeeds does not matter.
                assertThat(e.getSQLState()).isIn("3F000", "42P01", "23505");
            }
            return Waiters.add(connection, "/a");
        };
        together(first, add("/a"));
        assertThat(figure("grouped")).isEqualTo(alters ? 0 : 2);
    }

    /** It may do what is not seen, such as set a tenant. */
    @Test
    void whatIsBetweenUsAndTheDriverGoesAlone() throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            openOn(pool);
            addTwo(Waiters.ADD);
        }
        assertThat(figure("alone.SESSION")).isEqualTo(2);
    }

    private void addTwo(String sql) throws Exception {
        Object[] values = sql.chars().filter(c -> c == '?').count() == 2 ? new Object[] {"/a", 1} : new Object[] {1};
        Body<Integer> body = connection -> Waiters.update(connection, sql, values);
        for (Waiter<Integer> each : together(body, body)) {
            assertThat(each.get()).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update account set balance = balance + 1 where id = ? returning balance",
                "update account set balance = txid_current()::text::bigint % 7 where id = ?",
                "update account set balance = (select count(*) from account) where id = ?",
                "update account set log = current_setting('application_name') where id = ?",
                "update account set log = pg_catalog.now()::text where id = ?",
                "update account set balance = default where id = ?"
            })
    void aTextThatMayDoSomethingElseThereGoesAlone(String sql) throws Exception {
        if (sql.contains("returning")) {
            Body<Boolean> body = connection -> {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setInt(1, 1);
                    return statement.execute();
                }
            };
            together(body, body);
        } else {
            addTwo(sql);
        }
        assertThat(figure("alone.STATEMENT")).isEqualTo(2);
        assertThat(figure("grouped")).isZero();
    }

    @Test
    void theWordDefaultInAStringIsGrouped() throws Exception {
        addTwo("update account set log = 'no default' where id = ?");
        assertThat(figure("alone.STATEMENT")).isZero();
        assertThat(figure("grouped")).isEqualTo(2);
    }

    @Test
    void whatIsNoPlainPreparedUpdateGoesAlone() throws Exception {
        Body<Integer> text = connection ->
                connection.createStatement().executeUpdate("update account set balance = balance + 1 where id = 1");
        Body<Integer> keys = connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement(Waiters.ADD, Statement.RETURN_GENERATED_KEYS)) {
                statement.setString(1, "/a");
                statement.setInt(2, 1);
                return statement.executeUpdate();
            }
        };
        Body<Integer> batch = prepared("/a", statement -> {
            statement.addBatch();
            return statement.executeBatch()[0];
        });
        Body<Integer> stream = prepared("", statement -> {
            statement.setCharacterStream(1, new StringReader("/a"));
            return statement.executeUpdate();
        });
        Body<Integer> transaction = connection -> {
            connection.setAutoCommit(false);
            int count = Waiters.add(connection, "/a");
            connection.commit();
            return count;
        };
        together(text, text, keys, keys, batch, batch, stream, stream, transaction);
        assertThat(figure("grouped")).isZero();
        assertThat(figure("alone.STATEMENT")).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create function f() returns trigger language plpgsql as $$begin return new; end$$;"
                        + "create trigger t before update on account for each row execute function f()",
                "create rule r as on delete to account do instead nothing",
                "alter table account add who text default current_user",
                "alter table account add check (current_setting('app.tenant', true) is null or id > 0)",
                "alter table account enable row level security",
                "create table child() inherits (account)",
                "create table parent(id int); alter table account inherit parent",
                "create table other(id int primary key);"
                        + "insert into other select generate_series(0, 9);alter table account add foreign key (balance) references other deferrable initially deferred",
                "alter table account add unique (balance, id) deferrable initially deferred",
                "create table child(account int references account on update cascade)"
            })
    void aTableThatMayDoSomethingElseThereGoesAlone(String sql) throws Exception {
        database.execute(sql.startsWith("create function") ? sql : sql.replace("$$", ""));
        addTwo("update account set balance = balance + 1 where id = ?");
        assertThat(figure("alone.TABLE")).isEqualTo(2);
        assertThat(figure("grouped")).isZero();
    }

    /** Whose triggers are the server's own. */
    @Test
    void foreignKeysDoNotKeepAnyoneAlone() throws Exception {
        database.execute(
                "create table child(account int references account)",
                "alter table account add foreign key (id) references account");
        addTwo(Waiters.ADD);
        assertThat(transactions()).isOne();
        assertThat(figure("grouped")).isEqualTo(2);
    }

    @Test
    void nobodysRoleOrSettingIsAnothers() throws Exception {
        String role = database.role("all on account");
        String sql = "update account set log = log || '/' || current_user || ':' || ? where id = ?";
        Body<Integer> body = connection -> Waiters.update(connection, sql, "x", 1);
        try (Connection other = gated.dataSource.getConnection(role, "secret")) {
            Waiters.update(other, sql, "", 3);
        }
        try (Waiters waiters = new Waiters(database, gated)) {
            for (int i = 0; i < 6; i++) {
                if (i % 2 == 0) {
                    waiters.add(body);
                } else {
                    waiters.add(gated.dataSource.getConnection(role, "secret"), body);
                }
            }
            waiters.release();
        }
        String user = database.query("select current_user");
        assertThat(tags())
                .containsExactlyInAnyOrder(
                        "", user + ":x", user + ":x", user + ":x", role + ":x", role + ":x", role + ":x");
        assertThat(figure("grouped")).isZero();
    }

    /** What the properties of a connection set is no part of its URL. */
    @Test
    void otherPropertiesGoAlone() throws Exception {
        try (Waiters waiters = new Waiters(database, gated)) {
            for (String tenant : List.of("1", "2", "1")) {
                PGSimpleDataSource own = database.dataSource();
                Properties properties = new Properties();
                properties.setProperty("user", own.getUser());
                properties.setProperty("options", "-c app.tenant=" + tenant);
                Connection connection = RowlockConnection.wrap(
                        DriverManager.getConnection(own.getUrl(), properties), gated.dropIn, null, properties);
                waiters.add(connection, each -> Waiters.add(each, "/a"));
            }
            waiters.release();
        }
        assertThat(transactions()).isEqualTo(3);
        assertThat(figure("grouped")).isZero();
    }

    @Test
    void otherTimeoutsGoAlone() throws Exception {
        together(addWithin(0), addWithin(500), addWithin(0));
        assertThat(transactions()).isEqualTo(3);
    }

    private static Body<Integer> addWithin(int seconds) {
        return prepared("/a", statement -> {
            statement.setQueryTimeout(seconds);
            return statement.executeUpdate();
        });
    }

    /** A member's own statement, for another thread to cancel. */
    private static Body<Integer> cancellable(AtomicReference<Statement> own) {
        return prepared("/cancelled", statement -> {
            own.set(statement);
            return statement.executeUpdate();
        });
    }

    @Test
    void oneThatIsCancelledBeforeItIsSentLeaves() throws Exception {
        AtomicReference<Statement> own = new AtomicReference<>();
        try (Waiters waiters = new Waiters(database, gated)) {
            waiters.add(add("/a"));
            Waiter<Integer> cancelled = waiters.add(cancellable(own));
            waiters.add(add("/b"));
            own.get().cancel();
            assertThat(cancelled.state()).isEqualTo("57014");
            waiters.release();
        }
        assertThat(tags()).containsExactly("", "a", "b");
        assertThat(transactions()).isOne();
    }

    /** The leader too, as another of the group. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThatIsCancelledAfterItWasSentCancelsNoOther(boolean leader) throws Exception {
        AtomicReference<Statement> own = new AtomicReference<>();
        Waiter<Integer> other;
        Waiter<Integer> cancelled;
        Waiter<Integer> last;
        try (Waiters waiters = new Waiters(database, gated, true)) {
            other = leader ? null : waiters.add(add("/a"));
            cancelled = waiters.add(cancellable(own));
            last = waiters.add(add("/b"));
            waiters.release();
            own.get().cancel();
            assertThat(cancelled.state()).isEqualTo("57014");
            // Now each on its own.
            TestDatabase.await().until(() -> figure("groupsUndone") == 1);
            waiters.awaitAtServer(1);
            waiters.releaseAgain();
            assertThat(last.get()).isOne();
            assertThat(other == null ? 1 : other.get()).isOne();
        }
        assertThat(tags()).doesNotContain("cancelled").contains("b");
    }

    /** Such as the parent that its foreign key names. */
    @Test
    void aLeaderThatIsCancelledWhileItWaitsForAnotherRowIsNotSentAgain() throws Exception {
        database.execute(
                "create table parent(id int primary key)",
                "insert into parent values (1)",
                "alter table account add parent int references parent");
        openOn(database.dataSource());
        Session other = database.session("other");
        other.execute("select from parent for update");
        AtomicReference<Statement> own = new AtomicReference<>();
        try (Waiters waiters = new Waiters(database, gated)) {
            Body<Integer> update = connection -> {
                try (PreparedStatement statement =
                        connection.prepareStatement("update account set parent = 1 where id = ?")) {
                    own.compareAndSet(null, statement);
                    statement.setInt(1, 1);
                    return statement.executeUpdate();
                }
            };
            Waiter<Integer> cancelled = waiters.add(update);
            Waiter<Integer> member = waiters.add(update);
            waiters.release();
            waiters.awaitAtServer(1);
            own.get().cancel();
            assertThat(cancelled.state()).isEqualTo("57014");
            other.rollback();
            assertThat(member.get()).isOne();
        }
        assertThat(figure("groupsUndone")).isOne();
    }

    @Test
    void anInterruptAfterItWasSentWaitsForTheOutcome() throws Exception {
        try (Waiters waiters = new Waiters(database, gated, true)) {
            Waiter<Integer> leader = waiters.add(add("/a"));
            Waiter<Boolean> interrupted = waiters.add(connection -> {
                Waiters.add(connection, "/b");
                return Thread.interrupted();
            });
            waiters.release();
            interrupted.thread.interrupt();
            waiters.releaseAgain();
            assertThat(leader.get()).isOne();
            assertThat(interrupted.get()).isTrue();
        }
        assertThat(tags()).containsExactly("", "a", "b");
        assertThat(transactions()).isOne();
    }

    @Test
    void oneWhoseConnectionIsClosedAfterItWasSentHasItsOutcome() throws Exception {
        try (Waiters waiters = new Waiters(database, gated, true)) {
            waiters.add(add("/a"));
            Waiter<Integer> closed = waiters.add(prepared("/b", PreparedStatement::executeUpdate));
            waiters.release();
            closed.connection.close();
            waiters.releaseAgain();
            assertThat(closed.get()).isOne();
        }
        assertThat(tags()).containsExactly("", "a", "b");
    }

    /** In the moment between its admission and its departure, when neither the queue nor the driver can cancel it. */
    @Test
    void aLeaderThatIsCancelledWhenItIsLetInSendsNobody() throws Exception {
        AtomicReference<Statement> own = new AtomicReference<>();
        AtomicReference<Thread> first = new AtomicReference<>();
        AtomicInteger looks = new AtomicInteger(-1);
        QueuePolicy cancelling = (kept, waiting) -> {
            // Once for the first of those who wait, which is let in; then for the next, while the first is on its way.
            if (looks.get() >= 0 && looks.incrementAndGet() == 2) {
                TestDatabase.await()
                        .pollInSameThread()
                        .atMost(TestDatabase.DEADLINE)
                        .until(() -> first.get().getState() == Thread.State.BLOCKED);
                try {
                    own.get().cancel();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
            return 1;
        };
        gated = new GatedDatabase(
                database.dataSource(),
                new JdbcSettings("test", DropInMode.QUEUE, List.of(), List.of(), LockFront.NEVER, 8, false),
                new KeyQueues(() -> cancelling, GatedDatabase.NEVER_OVER));
        gated.learn("account");
        try (Waiters waiters = new Waiters(database, gated)) {
            Waiter<Integer> cancelled = waiters.add(cancellable(own));
            Waiter<Integer> other = waiters.add(add("/a"));
            first.set(cancelled.thread);
            looks.set(0);
            waiters.release();
            assertThat(cancelled.state()).isEqualTo("57014");
            assertThat(other.get()).isOne();
        }
        assertThat(tags()).containsExactly("", "a");
    }

    /** By a timeout of the statement, or of all sessions of the role. */
    @ParameterizedTest
    @ValueSource(strings = {"", "lock_timeout", "statement_timeout"})
    void timeoutsEndAllWhoHaveWaitedSoLong(String setting) throws Exception {
        openOn(database.dataSourceWith(setting.isEmpty() ? "" : "-c " + setting + "=1s"));
        String state = setting.equals("lock_timeout") ? "55P03" : "57014";
        Session holder = database.session("other");
        holder.execute("select from account where id = 1 for update");
        List<Waiter<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(new Waiter<>(gated.dataSource.getConnection(), addWithin(setting.isEmpty() ? 1 : 0)));
        }
        for (Waiter<Integer> each : all) {
            assertThat(each.state()).isEqualTo(state);
            each.connection.close();
        }
        assertThat(tags()).containsExactly("");
    }

    /** A wait for what only the first wants, such as the parent that its foreign key names, is nobody else's. */
    @Test
    @Tag("long")
    void aTimeoutOfTheFirstForAnotherRowIsItsOwn() throws Exception {
        database.execute(
                "create table parent(id int primary key)",
                "insert into parent values (1), (2)",
                "alter table account add parent int references parent");
        // A tenth of it is how long they may wait in the JVM, which is to be enough on a busy machine.
        openOn(database.dataSourceWith("-c lock_timeout=5s"));
        String sql = "update account set parent = ? where id = ?";
        Session other = database.session("other");
        other.execute("select from parent where id = 1 for update");
        try (Waiters waiters = new Waiters(database, gated)) {
            Waiter<Integer> first = waiters.add(connection -> Waiters.update(connection, sql, 1, 1));
            Waiter<Integer> second = waiters.add(connection -> {
                try {
                    return Waiters.update(connection, sql, 2, 1);
                } catch (PSQLException e) {
                    // Once each is alone, it may wait for the row of the other, as without Rowlock.
                    assertThat(e.getServerErrorMessage().getWhere()).contains("relation \"account\"");
                    return Waiters.update(connection, sql, 2, 1);
                }
            });
            waiters.release();
            assertThat(first.state()).isEqualTo("55P03");
            assertThat(second.get()).isOne();
        }
    }

    @Test
    void whatALostConnectionHasSentIsUnknownToAll() throws Exception {
        try (Waiters waiters = new Waiters(database, gated, true)) {
            List<Waiter<Integer>> members = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                members.add(waiters.add(add("/a")));
            }
            waiters.release();
            database.query("select pg_terminate_backend(" + waiters.waiting() + ")");
            for (Waiter<Integer> each : members) {
                assertThat(each.failure())
                        .hasMessageContaining("may be stored")
                        .hasFieldOrPropertyWithValue("SQLState", "08006");
            }
            // Nobody is alone with what happened to another.
            assertThat(members.get(1).failure()).isNotSameAs(members.get(2).failure());
            waiters.releaseAgain();
        }
        assertThat(tags()).containsExactly("");
    }
}
