package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringReader;
import java.lang.reflect.InvocationHandler;
import java.nio.charset.StandardCharsets;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.PGobject;
import org.postgresql.util.PSQLException;
import org.rowlock.internal.session.PgSession;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPgBouncer;

/** Which writes go with the COMMIT, what sends them earlier, and what is told if one of them fails. */
class CommitFlushTest {
    private static final String UPDATE = "update account set balance = ?, version = ? where id = ? and version = ?";
    private static final String INSERT = "insert into account(id, balance, version, image) values (?, ?, 0, ?)";
    private static final String DELETE = "delete from account where id = ?";

    /** The content of a large object that no other test makes. */
    private static final String LARGE = UUID.randomUUID().toString();

    private static final String UNCHANGED = "1:100:0 2:100:0 3:100:0 4:100:0 5:100:0";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null check (balance >= 0),"
                    + " version int not null default 0, image bytea)",
            "create table entry(id int primary key,"
                    + " account int not null references account deferrable initially deferred)",
            "create table skipped(id int primary key, n int not null default 0)",
            "insert into account select i, 100, 0 from generate_series(1, 5) i",
            "insert into skipped values (1)",
            "create function skip() returns trigger language plpgsql as 'begin return null; end'",
            "create trigger skip before update on skipped for each row execute function skip()",
            "create table noted(id serial primary key)",
            "create function note() returns int language sql as 'insert into noted default values returning 1'",
            "create function noting() returns trigger language plpgsql as 'begin perform note(); return null; end'",
            "create table large(id int primary key, data oid not null)",
            "insert into large values (1, lo_from_bytea(0, '\\x01'))",
            "create table moment(id int primary key, at timestamptz, day date, hour timetz)",
            "create table document(id int primary key, data jsonb, host inet)");

    private RowlockDataSource dataSource;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        PGSimpleDataSource counted = database.dataSource();
        counted.setSocketFactory(RoundTripCounter.class.getName());
        dataSource = database.closing(RowlockDataSource.wrap(counted, "test", Map.of("flushWithCommit", "true")));
        learn(dataSource);
        connection = database.closing(dataSource.getConnection());
        connection.setAutoCommit(false);
        // The connection has its own look at the server, and what it prepares first.
        select(connection);
        connection.commit();
    }

    /** The first transaction that meets a table has it looked up. */
    private static void learn(RowlockDataSource dataSource) throws SQLException {
        try (Connection first = TestDatabase.begin(dataSource)) {
            CommitFlush.open(first, table -> true);
            for (String table : new String[] {"account", "entry", "skipped", "moment", "document"}) {
                assertThat(Waiters.update(first, "delete from " + table + " where id = ?", -1))
                        .isZero();
            }
            first.commit();
        }
    }

    private static void select(Connection connection) throws SQLException {
        TestDatabase.query(connection, "select * from account where id = 1 for no key update");
    }

    private static void query(Connection connection, String sql, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, id);
            statement.executeQuery();
        }
    }

    private static int update(Connection connection, int id, int balance, int version) throws SQLException {
        return Waiters.update(connection, UPDATE, balance, version + 1, id, version);
    }

    private int insert(int id, int balance) throws SQLException {
        return Waiters.update(connection, INSERT, id, balance, new byte[] {1});
    }

    private int delete(int id) throws SQLException {
        return Waiters.update(connection, DELETE, id);
    }

    private void keep() throws SQLException {
        assertThat(CommitFlush.open(connection, table -> true)).isTrue();
    }

    private String stored() throws SQLException {
        return database.query(
                "select string_agg(id || ':' || balance || ':' || version, ' ' order by id) from account");
    }

    private long kept() {
        return dataSource.control().getFigures().values().stream()
                .mapToLong(figures -> figures.get("kept"))
                .sum();
    }

    @Test
    void theLockIsOneRoundTripAndUpdateAndCommitTheOther() throws SQLException {
        keep();
        update(connection, 2, 0, 0);
        // The first looks whether the server can end a commit that is lost.
        connection.commit();
        for (int i = 0; i < 8; i++) {
            int before = RoundTripCounter.counted();
            select(connection);
            keep();
            assertThat(update(connection, 1, i, i)).isOne();
            connection.commit();
            assertThat(RoundTripCounter.counted() - before).isEqualTo(2);
        }
        assertThat(stored()).startsWith("1:7:8 ");
    }

    @Test
    void writesOfAllKindsGoInTheirOrder() throws SQLException {
        select(connection);
        keep();
        assertThat(insert(6, 1)).isOne();
        assertThat(update(connection, 6, 2, 0)).isOne();
        assertThat(delete(2)).isOne();
        assertThat(insert(2, 3)).isOne();
        assertThat(delete(6)).isOne();
        assertThat(stored()).isEqualTo(UNCHANGED);
        assertThat(kept()).isEqualTo(5);
        connection.commit();
        assertThat(stored()).isEqualTo("1:100:0 2:3:0 3:100:0 4:100:0 5:100:0");
    }

    @Test
    void writesAloneAreATransaction() throws SQLException {
        keep();
        insert(6, 1);
        insert(7, 1);
        update(connection, 1, 50, 0);
        connection.commit();
        assertThat(stored()).isEqualTo("1:50:1 2:100:0 3:100:0 4:100:0 5:100:0 6:1:0 7:1:0");
    }

    @Test
    void autocommitSwitchedOnCommits() throws SQLException {
        keep();
        insert(6, 1);
        connection.setAutoCommit(false);
        connection.setAutoCommit(true);
        assertThat(stored()).endsWith(" 6:1:0");
        assertThat(CommitFlush.open(connection, table -> true)).isFalse();
    }

    @Test
    void itEndsWithTheTransaction() throws SQLException {
        keep();
        connection.commit();
        insert(6, 1);
        assertThat(kept()).isZero();
        connection.rollback();
        keep();
        insert(7, 1);
        connection.rollback();
        insert(8, 1);
        assertThat(kept()).isOne();
        connection.commit();
        assertThat(stored()).endsWith(" 8:1:0").doesNotContain("7:1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit", "rollback"})
    void itEndsWithTheTransactionThatAStatementEnds(String sql) throws SQLException {
        keep();
        insert(6, 1);
        TestDatabase.execute(connection, sql);
        assertThat(update(connection, 2, 50, 7)).isZero();
        connection.commit();
        assertThat(stored()).isEqualTo(sql.equals("commit") ? UNCHANGED + " 6:1:0" : UNCHANGED);
    }

    @Test
    void aBatchDoesNotTellItsCounts() throws SQLException {
        keep();
        // As the driver, which takes what is in an array when the parameter is set.
        byte[] image = {1, 3};
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            for (int id = 6; id < 200; id++) {
                statement.setInt(1, id);
                statement.setInt(2, id);
                image[1] = 3;
                statement.setBytes(3, image);
                image[1] = 2;
                statement.addBatch();
            }
            int[] counts = statement.executeBatch();
            assertThat(counts).hasSize(194).containsOnly(Statement.SUCCESS_NO_INFO);
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
            assertThat(statement.executeBatch()).isEmpty();
        }
        Arrays.fill(image, (byte) 0);
        assertThat(kept()).isEqualTo(194);
        connection.commit();
        assertThat(database.query("select count(*) || ' ' || sum(balance) from account where id > 5 and"
                        + " image = decode('0103', 'hex')"))
                .isEqualTo("194 19885");
    }

    /** Hibernate sets an Instant and an OffsetDateTime with a calendar. */
    @ParameterizedTest
    @ValueSource(strings = {"Asia/Tokyo", ""})
    void aTimeWithACalendarIsKept(String zone) throws SQLException {
        try (Connection plain = TestDatabase.begin(database.dataSource())) {
            insertMoment(plain, 1, zone);
            plain.commit();
        }
        keep();
        insertMoment(connection, 2, zone);
        assertThat(kept()).isOne();
        connection.commit();
        assertThat(database.query("select count(*) || ' ' || count(distinct (at, day, hour)) from moment"))
                .isEqualTo("2 1");
    }

    /** Hibernate sets JSON and some other types of PostgreSQL by objects of the driver. */
    @Test
    void anObjectOfTheDriverIsKept() throws SQLException {
        keep();
        PGobject data = driverObject("jsonb", "{\"a\": 1}");
        try (PreparedStatement insert = connection.prepareStatement("insert into document values (?, ?, ?)")) {
            insert.setInt(1, 1);
            insert.setObject(2, data);
            insert.setObject(3, driverObject("inet", null), Types.OTHER);
            // The driver has read the object, so the caller may use it again.
            data.setValue("{}");
            assertThat(insert.executeUpdate()).isOne();
        }
        assertThat(kept()).isOne();
        connection.commit();
        assertThat(database.query("select concat(data, host is null) from document"))
                .isEqualTo("{\"a\": 1}t");
    }

    private static PGobject driverObject(String type, @Nullable String value) throws SQLException {
        PGobject object = new PGobject();
        object.setType(type);
        object.setValue(value);
        return object;
    }

    private static void insertMoment(Connection connection, int id, String zone) throws SQLException {
        Timestamp at = Timestamp.valueOf("2026-03-29 02:30:00.123456");
        Date day = Date.valueOf("2026-03-29");
        Time hour = Time.valueOf("02:30:00");
        Calendar calendar = zone.isEmpty() ? null : Calendar.getInstance(TimeZone.getTimeZone(zone));
        try (PreparedStatement insert = connection.prepareStatement("insert into moment values (?, ?, ?, ?)")) {
            insert.setInt(1, id);
            insert.setTimestamp(2, at, calendar);
            insert.setDate(3, day, calendar);
            insert.setTime(4, hour, calendar);
            // The driver has read the objects, so the caller may use them again.
            at.setTime(0);
            day.setTime(0);
            hour.setTime(0);
            if (calendar != null) {
                calendar.setTimeZone(TimeZone.getTimeZone("America/Lima"));
            }
            assertThat(insert.executeUpdate()).isOne();
        }
    }

    /** The memory for what is kept has a bound. */
    @Test
    void theThousandthWriteSendsAll() throws SQLException {
        keep();
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            int before = RoundTripCounter.counted();
            for (int id = 6; id < 1_006; id++) {
                assertThat(RoundTripCounter.counted()).isEqualTo(before);
                statement.setInt(1, id);
                statement.setInt(2, id);
                statement.setBytes(3, new byte[] {1});
                assertThat(statement.executeUpdate()).isOne();
            }
            assertThat(RoundTripCounter.counted()).isGreaterThan(before);
        }
        assertThat(stored()).isEqualTo(UNCHANGED);
        update(connection, 1, 50, 0);
        connection.commit();
        assertThat(database.query("select count(*) || ' ' || min(balance) from account where id <> 1"))
                .isEqualTo("1004 6");
        assertThat(stored()).startsWith("1:50:1 ");
    }

    @Test
    void aBatchOfAClosedStatementIsRefused() throws SQLException {
        keep();
        PreparedStatement statement = connection.prepareStatement(DELETE);
        statement.setInt(1, 1);
        statement.addBatch();
        statement.close();
        assertThatThrownBy(statement::executeBatch).isInstanceOf(SQLException.class);
        assertThat(kept()).isZero();
        connection.rollback();
        assertThat(stored()).isEqualTo(UNCHANGED);
    }

    @Test
    void aBatchWithATimeoutIsSentAtOnce() throws SQLException {
        keep();
        try (PreparedStatement statement = connection.prepareStatement(DELETE)) {
            statement.setInt(1, 1);
            statement.addBatch();
            statement.setQueryTimeout(60);
            assertThat(statement.executeBatch()).containsExactly(1);
        }
        assertThat(kept()).isZero();
        connection.rollback();
    }

    @Test
    void aStaleVersionCommitsNothing() throws SQLException {
        select(connection);
        keep();
        assertThat(update(connection, 1, 50, 0)).isOne();
        assertThat(update(connection, 2, 50, 7)).isOne();
        assertThatThrownBy(connection::commit)
                .isInstanceOf(CommitFlushException.class)
                .hasFieldOrPropertyWithValue("wrongCount", true)
                .hasMessageContaining("update account set balance")
                .hasMessageNotContaining("/*");
        assertThat(stored()).startsWith("1:100:0 2:100:0 ");
        connection.rollback();
        // The connection is as good as before.
        update(connection, 1, 60, 0);
        connection.commit();
        assertThat(stored()).startsWith("1:60:1 2:100:0 ");
    }

    @Test
    void aWrongCountShowsTheValuesOfItsWrite() throws SQLException {
        keep();
        update(connection, 1, 50, 0);
        try (PreparedStatement update = connection.prepareStatement(UPDATE)) {
            update.setNull(1, Types.INTEGER);
            update.setInt(2, 8);
            update.setObject(3, 2L);
            update.setShort(4, (short) 7);
            assertThat(update.executeUpdate()).isOne();
        }
        assertThatThrownBy(connection::commit)
                .isInstanceOfSatisfying(
                        CommitFlushException.class,
                        e -> assertThat(e.values()).containsExactly(null, 8, 2L, (short) 7));
    }

    /** Both the commit and any other use of the connection throw the exception that the framework gives. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theFrameworkCanGiveItsOwnException(boolean byCommit) throws SQLException {
        select(connection);
        assertThat(connection.unwrap(CommitFlush.class).keepUntilCommit(table -> true, IllegalStateException::new))
                .isTrue();
        assertThat(update(connection, 2, 50, 7)).isOne();
        assertThatThrownBy(() -> {
                    if (byCommit) {
                        connection.commit();
                    } else {
                        select(connection);
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .cause()
                .isInstanceOf(CommitFlushException.class)
                .hasFieldOrPropertyWithValue("wrongCount", true);
        connection.rollback();
        assertThat(stored()).startsWith("1:100:0 2:100:0 ");
    }

    @Test
    void aFailedCommitIsOver() throws SQLException {
        keep();
        insert(6, 1);
        insert(1, 1);
        assertThatThrownBy(connection::commit).hasMessageContaining("account_pkey");
        insert(7, 1);
        connection.commit();
        assertThat(stored()).endsWith(" 7:1:0").doesNotContain(" 6:");
    }

    @Test
    void aPlainCommitThatFailsEndsIt() throws SQLException {
        keep();
        TestDatabase.execute(connection, "insert into entry values (1, 99)");
        assertThatThrownBy(connection::commit).hasMessageContaining("entry_account_fkey");
        // As on a connection that a pool has lent again, without a rollback between.
        assertThat(update(connection, 2, 50, 7)).isZero();
        connection.commit();
    }

    /** Nothing of a transaction is stored without what was kept, also where that cannot be sent. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatCannotBeSentIsNotLeftOut(boolean isReadBefore) throws SQLException {
        assumeTrue(
                Integer.parseInt(database.query("show server_version_num")) < 190_000,
                "skipped: from PostgreSQL 19 on a backslash is none to every session");
        keep();
        TestDatabase.execute(
                connection,
                "set local standard_conforming_strings = off",
                "update account set balance = 1 where id = 1");
        insert(6, 1);
        // For the driver it has one parameter more than for Rowlock, which does not know what a backslash means.
        String sql = "insert into account(id, image, balance) values (?, 'a\\'b', ?)";
        assertThat(Waiters.update(connection, sql, 7, 1)).isOne();
        if (isReadBefore) {
            try {
                select(connection);
            } catch (SQLException e) {
                assertThat((Throwable) e).isInstanceOf(CommitFlushException.class);
            }
        }
        try {
            connection.commit();
        } catch (SQLException e) {
            assertThat(stored()).isEqualTo(UNCHANGED);
            connection.setAutoCommit(true);
        }
        assertThat(stored()).isIn(UNCHANGED, "1:1:0 2:100:0 3:100:0 4:100:0 5:100:0 6:1:0 7:1:0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"23505", "23514", "22003"})
    void errorsKeepTheirState(String state) throws SQLException {
        keep();
        switch (state) {
            case "23505" -> insert(1, 1);
            case "23514" -> insert(6, -1);
            default ->
                assertThat(Waiters.update(
                                connection, "update account set balance = balance * ? where id = ?", 1L << 40, 1))
                        .isOne();
        }
        assertThat(kept()).isOne();
        assertThatThrownBy(connection::commit).isInstanceOfSatisfying(CommitFlushException.class, e -> {
            assertThat(e.getSQLState()).isEqualTo(state);
            assertThat(e.isWrongCount()).isFalse();
            assertThat(e.getCause()).isInstanceOf(SQLException.class).hasMessage(e.getMessage());
        });
        assertThat(stored()).isEqualTo(UNCHANGED);
    }

    /** The write itself is right, so the exception is the one that COMMIT throws without Rowlock. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailedCommitThrowsTheDriversException(boolean isAlone) throws SQLException {
        keep();
        assertThat(Waiters.update(connection, "insert into entry values (?, ?)", 1, 99))
                .isOne();
        if (!isAlone) {
            insert(6, 1);
        }
        assertThat(kept()).isEqualTo(isAlone ? 1 : 2);
        assertThatThrownBy(connection::commit)
                .isInstanceOf(PSQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "23503");
        assertThat(stored()).isEqualTo(UNCHANGED);
    }

    /** Things done with the connection while a write is kept. */
    private enum Uses {
        READ(CommitFlushTest::select),
        OTHER_WRITE(
                connection -> TestDatabase.execute(connection, "update account set balance = balance where id < 1")),
        GENERATED_KEYS(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(DELETE, Statement.RETURN_GENERATED_KEYS)) {
                statement.setInt(1, -1);
                statement.executeUpdate();
            }
        }),
        RETURNING(connection -> query(connection, DELETE + " returning id", -1)),
        QUERY_TIMEOUT(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(DELETE)) {
                statement.setQueryTimeout(10);
                statement.setInt(1, -1);
                assertThat(statement.executeUpdate()).isZero();
            }
        }),
        BATCH_OF_TEXTS(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("delete from account where id = 0");
                assertThat(statement.executeBatch()).containsExactly(0);
            }
        }),
        SAVEPOINT(connection -> connection.rollback(connection.setSavepoint())),
        WARNINGS(Connection::getWarnings),
        ISOLATION(Connection::getTransactionIsolation),
        UNWRAP(connection -> connection.unwrap(PGConnection.class).getBackendPID()),
        VALID(connection -> connection.isValid(1)),
        CALL(connection -> {
            try (var call = connection.prepareCall("{call pg_backend_pid()}")) {
                call.execute();
            }
        });

        final Session.Action use;

        Uses(Session.Action use) {
            this.use = use;
        }
    }

    @ParameterizedTest
    @EnumSource(Uses.class)
    void whateverElseIsDoneSendsFirst(Uses each) throws Exception {
        // Refused at that call, and not at the commit.
        keep();
        update(connection, 2, 50, 7);
        assertThatThrownBy(() -> each.use.run(connection))
                .isInstanceOf(CommitFlushException.class)
                .hasFieldOrPropertyWithValue("wrongCount", true)
                .hasMessageContaining("update account set balance");
        connection.rollback();
        // And sent, behind which more can be kept.
        learn(dataSource);
        keep();
        update(connection, 2, 50, 0);
        each.use.run(connection);
        update(connection, 3, 50, 0);
        connection.commit();
        assertThat(stored()).isEqualTo("1:100:0 2:50:1 3:50:1 4:100:0 5:100:0");
    }

    /** Ways in which a transaction has changed something before its only kept write, which then changes no row. */
    private enum Changes {
        TEXT(connection -> TestDatabase.query(connection, "select note()")),
        TEXT_UNDER_LOCK(
                connection -> TestDatabase.query(connection, "select id, note() from account where id = 1 for update")),
        PREPARED_UNDER_LOCK(
                connection -> query(connection, "select id from account where id = ? and note() = 1 for update", 1)),
        WRITE(connection -> TestDatabase.execute(connection, "insert into noted default values")),
        RETURNING(connection ->
                TestDatabase.query(connection, "update account set balance = note() where id = 3 returning id")),
        RETURNING_COLUMN(
                connection -> query(connection, "update account set balance = 1 where id = ? returning id", 3)),
        BATCH(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("insert into noted default values");
                statement.executeBatch();
            }
        }),
        CALL(connection -> {
            try (var call = connection.prepareCall("{call note()}")) {
                call.execute();
            }
        }),
        ROW_OF_A_RESULT(connection -> {
            try (Statement statement =
                            connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                    ResultSet rows = statement.executeQuery("select id from noted")) {
                rows.moveToInsertRow();
                rows.updateInt(1, 1);
                rows.insertRow();
            }
        }),
        LARGE_OBJECT(connection -> changeLarge(connection, row -> row.getBlob(1))),
        LARGE_OBJECT_AS_OBJECT(connection -> changeLarge(connection, row -> row.getObject(1, Blob.class))),
        LARGE_OBJECT_OF_A_PARAMETER(connection -> bindLarge(connection, (update, data) -> update.setBlob(1, data))),
        LARGE_OBJECT_OF_AN_OBJECT(
                connection -> bindLarge(connection, (update, data) -> update.setObject(1, data, Types.BLOB))),
        DRIVER(connection -> {
            PGConnection driver = connection.unwrap(PGConnection.class);
            select(connection);
            driver.getCopyAPI().copyIn("copy noted from stdin", new StringReader("1\n"));
        });

        final Session.Action change;

        Changes(Session.Action change) {
            this.change = change;
        }

        private interface Reader {
            Blob read(ResultSet row) throws SQLException;
        }

        private interface Binder {
            void bind(PreparedStatement update, InputStream data) throws SQLException;
        }

        /** The driver makes the object when the parameter is set. */
        private static void bindLarge(Connection connection, Binder binder) throws SQLException {
            select(connection);
            try (PreparedStatement statement = connection.prepareStatement("update large set data = ? where id = 1")) {
                binder.bind(statement, new ByteArrayInputStream(LARGE.getBytes(StandardCharsets.UTF_8)));
            }
        }

        private static void changeLarge(Connection connection, Reader reader) throws SQLException {
            try (PreparedStatement statement =
                            connection.prepareStatement("select data from large where id = 1 for update");
                    ResultSet row = statement.executeQuery()) {
                row.next();
                reader.read(row).setBytes(1, new byte[] {2});
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Changes.class)
    void whateverWasChangedBeforeIsRolledBack(Changes each) throws Exception {
        for (boolean lockFirst : new boolean[] {false, true}) {
            if (lockFirst) {
                select(connection);
            }
            each.change.run(connection);
            keep();
            assertThat(update(connection, 2, 50, 7)).isOne();
            assertThatThrownBy(connection::commit)
                    .isInstanceOf(CommitFlushException.class)
                    .hasFieldOrPropertyWithValue("wrongCount", true);
            assertThat(database.query("select (select count(*) from noted) + (select count(*) from pg_largeobject as l"
                            + " where l.data = '" + LARGE + "') || ' ' || encode(lo_get(data), 'hex') from large"))
                    .isEqualTo("0 01");
            assertThat(stored()).isEqualTo(UNCHANGED);
            learn(dataSource);
        }
    }

    /** The server need not check the count of such a write before the COMMIT. */
    @Test
    void theOnlyChangeIsSentAsItStands() throws SQLException {
        for (int i = 0; i < 6; i++) {
            // Rowlock's own use of the driver's connection exposes nothing.
            assertThat(PgSession.of(connection).hasBegun()).isFalse();
            select(connection);
            keep();
            update(connection, 1, i, i);
            connection.commit();
        }
        String prepared = TestDatabase.query(
                connection,
                "select string_agg(statement, '; ') from pg_prepared_statements where statement like '%update account%'");
        connection.rollback();
        assertThat(prepared).startsWith("update account").doesNotContain(";");
        // A stale write is told as one that the server has checked.
        select(connection);
        keep();
        assertThat(update(connection, 1, 50, 1)).isOne();
        assertThatThrownBy(connection::commit)
                .isInstanceOf(CommitFlushException.class)
                .hasFieldOrPropertyWithValue("wrongCount", true)
                .hasFieldOrPropertyWithValue("SQLState", "P0002")
                .hasMessageContaining("update account set balance");
        keep();
        update(connection, 1, 60, 6);
        connection.commit();
        assertThat(stored()).startsWith("1:60:7 ");
    }

    /** A function in VALUES may return several rows, and a function in SET runs even if the row is gone then. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into noted(id) values (generate_series(?, 12))",
                "update account set balance = note() where id = ? and version = 7"
            })
    void aWriteThatCallsAFunctionIsCheckedAtTheServer(String sql) throws SQLException {
        try (Connection first = TestDatabase.begin(dataSource)) {
            CommitFlush.open(first, table -> true);
            Waiters.update(first, "insert into noted(id) values (?)", 1);
            first.rollback();
        }
        keep();
        Waiters.update(connection, sql, 10);
        assertThatThrownBy(connection::commit)
                .isInstanceOf(CommitFlushException.class)
                .hasFieldOrPropertyWithValue("wrongCount", true);
        assertThat(database.query("select count(*) from noted")).isEqualTo("0");
    }

    /** Several keys may equal one floating-point number, and an invalid primary key may have equal rows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "create table precise(id bigint primary key, n int)",
                "create table precise(id bigint, n int) partition by range (id);"
                        + " create table parts(id bigint not null, n int);"
                        + " alter table precise attach partition parts for values from (0) to (9007199254740999);"
                        + " alter table only precise add primary key (id)"
            })
    void aKeyOfSeveralRowsIsCheckedAtTheServer(String table) throws SQLException {
        database.execute(table.split("; "));
        database.execute("insert into precise values (9007199254740992), ("
                + (table.contains("only") ? "9007199254740992)" : "9007199254740993)"));
        for (Object id : new Object[] {9007199254740992d, 9007199254740992L}) {
            for (int i = 0; i < 2; i++) {
                select(connection);
                keep();
                boolean isOne = Waiters.update(connection, "update precise set n = ? where id = ?", 1, id) == 1;
                assertNotStored(isOne && (table.contains("only") || id instanceof Double));
            }
        }
        assertThat(database.query("select count(n) from precise")).isEqualTo("0");
    }

    /** The type, and not the class of the value, decides how the driver sends the key. */
    @ParameterizedTest
    @ValueSource(ints = {Types.DOUBLE, Types.FLOAT, Types.REAL})
    void aKeySentAsAFloatingPointNumberIsCheckedAtTheServer(int type) throws SQLException {
        database.execute(
                "create table precise(id bigint primary key, n int)",
                "insert into precise values (9007199254740992), (9007199254740993)");
        for (Object id : new Object[] {9007199254740992L, "9007199254740992"}) {
            for (int i = 0; i < 2; i++) {
                select(connection);
                keep();
                boolean isOne;
                try (PreparedStatement statement =
                        connection.prepareStatement("update precise set n = 1 where id = ?")) {
                    statement.setObject(1, id, type);
                    isOne = statement.executeUpdate() == 1;
                }
                assertNotStored(isOne);
            }
        }
        assertThat(database.query("select count(n) from precise")).isEqualTo("0");
    }

    /** Commits if the count of the last write must be wrong, and otherwise rolls back. */
    private void assertNotStored(boolean isWrong) throws SQLException {
        if (isWrong) {
            assertThatThrownBy(connection::commit)
                    .isInstanceOf(CommitFlushException.class)
                    .hasFieldOrPropertyWithValue("wrongCount", true);
        } else {
            connection.rollback();
        }
    }

    /** The cached key is out of date: the temporary table is another one. */
    @Test
    void severalRowsAreToldAsStored() throws SQLException {
        connection.setAutoCommit(true);
        TestDatabase.execute(connection, "create temp table account(id int, balance int, version int)");
        TestDatabase.execute(connection, "insert into account values (1, 100, 0), (1, 100, 0)");
        connection.setAutoCommit(false);
        keep();
        assertThat(update(connection, 1, 50, 0)).isOne();
        assertThatThrownBy(connection::commit)
                .isInstanceOf(CommitFlushException.class)
                .hasFieldOrPropertyWithValue("wrongCount", false)
                .hasMessageContaining("is stored");
        assertThat(TestDatabase.query(connection, "select sum(balance) from pg_temp.account"))
                .isEqualTo("100");
    }

    /** What runs even if the statement changes no row: a trigger, and functions that the text does not name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "create trigger note after update on large for each statement execute function noting()",
                "create function noted(large) returns int language sql as 'select note()'",
                "create function noted(int, int) returns int language sql as 'select note()'; create operator <+>"
                        + " (function = noted, leftarg = int, rightarg = int)"
            })
    void aTableWhoseWritesMayDoMoreIsNotKept(String change) throws SQLException {
        database.execute(change.split("; "));
        for (int i = 0; i < 2; i++) {
            keep();
            assertThat(Waiters.update(connection, "update large set data = ? where id = ?", 0, 7))
                    .isZero();
            connection.commit();
        }
        assertThat(kept()).isZero();
    }

    @Test
    void whatIsReadSeesWhatWasKept() throws SQLException {
        keep();
        update(connection, 1, 50, 0);
        Savepoint savepoint = connection.setSavepoint();
        update(connection, 1, 60, 1);
        assertThat(TestDatabase.query(connection, "select balance from account where id = 1"))
                .isEqualTo("60");
        connection.rollback(savepoint);
        connection.commit();
        assertThat(stored()).startsWith("1:50:1 ");
    }

    /** The application may use it for reads, and commit with it. */
    @Test
    void whatTheDriversOwnConnectionDoesSeesEveryWrite() throws SQLException {
        keep();
        PgConnection driver = connection.unwrap(PgConnection.class);
        update(connection, 1, 50, 0);
        assertThat(TestDatabase.query(driver, "select balance from account where id = 1"))
                .isEqualTo("50");
        driver.commit();
        assertThat(stored()).startsWith("1:50:1 ");
    }

    /** As with the AWS driver, which connects again in a failover and tells it by an exception. */
    @Test
    void aRollbackThatFailsDropsWhatWasKept() throws SQLException {
        AtomicBoolean fails = new AtomicBoolean(true);
        try (Connection own = onWrapper((connection, method, arguments) -> {
            if (method.getName().equals("rollback") && fails.getAndSet(false)) {
                throw new SQLException("The connection has changed", "08S02");
            }
            return Proxies.call(connection, method, arguments);
        })) {
            assertThat(CommitFlush.open(own, table -> true)).isTrue();
            assertThat(update(own, 1, 50, 0)).isOne();
            assertThatThrownBy(own::rollback).hasMessage("The connection has changed");
            select(own);
            own.commit();
        }
        assertThat(stored()).isEqualTo(UNCHANGED);
    }

    @Test
    void writesAreKeptOnceTheWrapperHasConnectedAnew() throws SQLException {
        AtomicReference<Connection> anew = new AtomicReference<>();
        try (Connection own = onWrapper((connection, method, arguments) ->
                Proxies.call(anew.get() == null ? connection : anew.get(), method, arguments))) {
            own.unwrap(PgConnection.class).close();
            anew.set(TestDatabase.begin(database.dataSource()));
            assertThat(CommitFlush.open(own, table -> true)).isTrue();
            assertThat(update(own, 1, 50, 0)).isOne();
            assertThat(stored()).isEqualTo(UNCHANGED);
            own.commit();
        }
        assertThat(stored()).startsWith("1:50:1 ");
    }

    /** A connection, not in autocommit, that lies on a wrapper of the driver's. */
    private Connection onWrapper(InvocationHandler wrapper) throws SQLException {
        DataSource wrapped = TestDataSource.of(() -> {
            Connection target = database.dataSource().getConnection();
            return Proxies.of(
                    Connection.class, (proxy, method, arguments) -> wrapper.invoke(target, method, arguments));
        });
        RowlockDataSource outer =
                database.closing(RowlockDataSource.wrap(wrapped, "test", Map.of("flushWithCommit", "true")));
        learn(outer);
        return TestDatabase.begin(outer);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCountIsToldAsLongAsTheStatementIsOpen(boolean keepsCurrent) throws SQLException {
        keep();
        try (PreparedStatement statement = connection.prepareStatement(DELETE)) {
            statement.setInt(1, 1);
            assertThat(statement.executeUpdate()).isOne();
            assertThat(statement.getUpdateCount()).isOne();
            assertThat(
                            keepsCurrent
                                    ? statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)
                                    : statement.getMoreResults())
                    .isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
        }
        connection.rollback();
    }

    /** To the driver, a comment behind a semicolon is another statement. */
    @ParameterizedTest
    @ValueSource(strings = {DELETE, "insert into account(balance, id) values (7, ?)"})
    void aCommentBehindASemicolonIsNoStatement(String sql) throws SQLException {
        keep();
        assertThat(Waiters.update(connection, sql + "; -- its purpose", sql.equals(DELETE) ? 1 : 6))
                .isOne();
        connection.commit();
        assertThat(stored()).isNotEqualTo(UNCHANGED);
    }

    @Test
    void aTableThatMayCountOtherwiseIsNotKept() throws SQLException {
        keep();
        assertThat(Waiters.update(connection, "update skipped set n = ? where id = ?", 1, 1))
                .isZero();
        connection.commit();
        assertThat(kept()).isZero();
    }

    @Test
    void aTableWhoseCountIsNotCheckedIsNotKept() throws SQLException {
        assertThat(CommitFlush.open(connection, table -> !table.equals("account")))
                .isTrue();
        assertThat(update(connection, 1, 50, 7)).isZero();
        insert(6, 1);
        assertThat(kept()).isOne();
        connection.commit();
        assertThat(stored()).endsWith(" 6:1:0");
    }

    @Test
    void aNewTriggerIsSeenBehindItsFirstFailure() throws SQLException {
        database.execute("create trigger skip before update on account for each row execute function skip()");
        keep();
        update(connection, 1, 50, 0);
        assertThatThrownBy(connection::commit).isInstanceOf(CommitFlushException.class);
        for (int i = 0; i < 2; i++) {
            keep();
            assertThat(update(connection, 1, 50, 0)).isZero();
            connection.commit();
        }
        assertThat(stored()).startsWith("1:100:0 ");
    }

    /** The server counts no rows of a write to such a table. */
    @Test
    void aNewRuleIsSeenBehindItsFirstFailure() throws SQLException {
        database.execute("create rule again as on insert to account do also update skipped set n = 0");
        keep();
        insert(6, 1);
        insert(7, 1);
        assertThatThrownBy(connection::commit)
                .isInstanceOf(CommitFlushException.class)
                .hasFieldOrPropertyWithValue("SQLState", "0A000");
        for (int id = 6; id < 8; id++) {
            keep();
            assertThat(insert(id, 1)).isOne();
            connection.commit();
        }
        assertThat(stored()).endsWith(" 6:1:0 7:1:0");
    }

    @Test
    void itWorksUnderAPoolAndAroundOne() throws SQLException {
        try (HikariDataSource around = pool(dataSource)) {
            flushTwice(around.getConnection(), 0);
            flushTwice(around.getConnection(), 2);
        }
        try (HikariDataSource pool = pool(database.dataSource());
                RowlockDataSource outer = RowlockDataSource.wrap(pool, "test", Map.of("flushWithCommit", "true"))) {
            learn(outer);
            flushTwice(outer.getConnection(), 4);
            flushTwice(outer.getConnection(), 6);
        }
        assertThat(stored()).startsWith("1:7:8 ");
    }

    private static HikariDataSource pool(DataSource connections) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(connections);
        config.setMaximumPoolSize(1);
        config.setAutoCommit(false);
        return new HikariDataSource(config);
    }

    private static void flushTwice(Connection pooled, int version) throws SQLException {
        try (Connection own = pooled) {
            for (int i = version; i < version + 2; i++) {
                assertThat(CommitFlush.open(own, table -> true)).isTrue();
                assertThat(update(own, 1, i, i)).isOne();
                own.commit();
            }
            // Given back with something kept, which is gone.
            CommitFlush.open(own, table -> true);
            update(own, 2, 1, 0);
        }
    }

    /** As with a DataSource that routes each tenant to a database of its own. */
    @Test
    void aTableOfAnotherDatabaseIsAnother() throws SQLException {
        String name = database.schema() + "_tenant";
        database.execute("create database " + name);
        PGSimpleDataSource tenant = database.dataSource();
        tenant.setDatabaseName(name);
        AtomicReference<DataSource> route = new AtomicReference<>(database.dataSource());
        DataSource routing = TestDataSource.of(() -> route.get().getConnection());
        try (RowlockDataSource routed = RowlockDataSource.wrap(routing, "test", Map.of("flushWithCommit", "true"))) {
            learn(routed);
            route.set(tenant);
            try (Connection own = TestDatabase.begin(routed)) {
                TestDatabase.execute(
                        own,
                        "create schema " + database.schema(),
                        "create table account(id int primary key, balance int, version int, image bytea)",
                        "create rule none as on insert to account do instead nothing");
                own.commit();
                assertThat(CommitFlush.open(own, table -> true)).isTrue();
                assertThat(Waiters.update(own, INSERT, 6, 1, new byte[] {1})).isZero();
                own.commit();
            }
        } finally {
            database.execute("drop database " + name);
        }
    }

    @Test
    void withoutTheSettingNothingIsKept() throws SQLException {
        try (RowlockDataSource plain = RowlockDataSource.wrap(database.dataSource());
                Connection own = TestDatabase.begin(plain)) {
            assertThat(CommitFlush.open(own, table -> true)).isFalse();
        }
        try (Connection driver = TestDatabase.begin(database.dataSource())) {
            assertThat(CommitFlush.open(driver, table -> true)).isFalse();
        }
        dataSource.control().set("flushWithCommit", "false");
        assertThat(CommitFlush.open(connection, table -> true)).isFalse();
    }

    @Test
    void aLostCommitIsNoFailureOfAWrite() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(database.dataSource());
                RowlockDataSource through = RowlockDataSource.wrap(
                        proxy.through(database.dataSource()), "test", Map.of("flushWithCommit", "true"))) {
            learn(through);
            try (Connection own = TestDatabase.begin(through)) {
                select(own);
                CommitFlush.open(own, table -> true);
                update(own, 1, 50, 0);
                proxy.cutAfter("COMMIT");
                assertThatThrownBy(own::commit)
                        .isInstanceOf(SQLException.class)
                        .isNotInstanceOf(CommitFlushException.class)
                        .extracting(e -> ((SQLException) e).getSQLState())
                        .asString()
                        .startsWith("08");
            }
        }
    }

    /** So that a commit that is lost while it waits does not happen later. */
    @ParameterizedTest
    @ValueSource(strings = {"", "reset all", "discard all", "set client_connection_check_interval = 0"})
    void theServerWatchesTheSessionFromTheFirstCommitOn(String change) throws SQLException {
        for (int i = 0; i < 7; i++) {
            keep();
            update(connection, 1, i, i);
            connection.commit();
        }
        assertThat(TestDatabase.query(
                        connection,
                        "select count(*) from pg_prepared_statements where statement like 'set%client_connection%'"))
                .isEqualTo("0");
        connection.commit();
        if (!change.isEmpty()) {
            connection.setAutoCommit(true);
            TestDatabase.execute(connection, change);
            connection.setAutoCommit(false);
        }
        keep();
        update(connection, 1, 7, 7);
        connection.commit();
        assertThat(TestDatabase.query(connection, "show client_connection_check_interval"))
                .isEqualTo("200ms");
    }

    @Test
    void aSettingThatWasRolledBackIsSetAgain() throws SQLException {
        keep();
        update(connection, 1, 1, 7);
        update(connection, 2, 1, 7);
        assertThatThrownBy(connection::commit).isInstanceOf(CommitFlushException.class);
        learn(dataSource);
        keep();
        update(connection, 1, 1, 0);
        connection.commit();
        assertThat(TestDatabase.query(connection, "show client_connection_check_interval"))
                .isEqualTo("200ms");
    }

    @Test
    void behindAPoolerNothingIsLeftInTheSession() throws Exception {
        assumeTrue(TestPgBouncer.program().isPresent(), "PgBouncer is not installed");
        Map<String, String> settings = Map.of("default_pool_size", "1");
        String table = database.schema() + ".account";
        try (TestPgBouncer bouncer = TestPgBouncer.start("transaction", "set lock_timeout = 0", settings)) {
            PGSimpleDataSource plain = bouncer.dataSource();
            plain.setPrepareThreshold(0);
            try (RowlockDataSource through =
                            RowlockDataSource.wrap(plain, "pooled", Map.of("flushWithCommit", "true"));
                    Connection own = TestDatabase.begin(through);
                    Connection other = plain.getConnection()) {
                TestDatabase.query(own, "select id from " + table + " where id = 1 for update");
                own.commit();
                for (int i = 0; i < 3; i++) {
                    assertThat(CommitFlush.open(own, name -> true)).isTrue();
                    assertThat(Waiters.update(own, UPDATE.replace("account", table), i, i + 1, 1, i))
                            .isOne();
                    own.commit();
                    assertThat(TestDatabase.query(other, "show client_connection_check_interval"))
                            .isEqualTo("0");
                }
                assertThat(through.control().getFigures().get(table)).containsEntry("kept", 3L);
            }
        }
        assertThat(stored()).startsWith("1:2:3 ");
    }

    @Test
    void aFirstWriteHasItsTurn() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select * from account where id = 1 for update");
        GatedDatabase gated = GatedDatabase.keeping(database, "account");
        Session first = database.session("first", gated.dataSource);
        Session second = database.session("second", gated.dataSource);
        Step<Boolean> atServer = first.start(own -> commitWith(own, 0)).awaitBlockedBy(holder);
        Step<Boolean> inJvm = second.start(own -> commitWith(own, 1));
        gated.awaitQueued(1);
        holder.commit();
        assertThat(atServer.get()).isTrue();
        assertThat(inJvm.get()).isTrue();
        assertThat(gated.gate.inside()).isZero();
        assertThat(stored()).startsWith("1:1:2 ");
    }

    private static boolean commitWith(Connection own, int version) throws SQLException {
        assertThat(CommitFlush.open(own, table -> true)).isTrue();
        assertThat(update(own, 1, version, version)).isOne();
        own.commit();
        return true;
    }
}
