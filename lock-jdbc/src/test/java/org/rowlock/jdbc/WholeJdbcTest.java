package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;

/**
 * JDBC through the wrapper, in mode queue with one let in at a time: as through the driver, and nothing left in the
 * gate.
 */
class WholeJdbcTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            100, "create function add_to(inout total int, amount int) language sql as 'select total + amount'");

    GatedDatabase gated;

    @BeforeEach
    void open() throws SQLException {
        gated = GatedDatabase.of(database, DropInMode.QUEUE, fronts(), "account");
    }

    boolean fronts() {
        return false;
    }

    private Connection connect() throws SQLException {
        return gated.dataSource.getConnection();
    }

    private interface Work {
        void run(Connection connection) throws SQLException;
    }

    /** Runs in autocommit and in a transaction; nothing remains. */
    private void both(Work work) throws SQLException {
        for (boolean autocommit : new boolean[] {true, false}) {
            try (Connection connection = connect()) {
                connection.setAutoCommit(autocommit);
                work.run(connection);
                if (!autocommit) {
                    connection.rollback();
                }
            }
            assertThat(gated.gate.inside()).isZero();
            assertThat(gated.gate.queued()).isZero();
        }
    }

    @Test
    void statementsOfEveryKindLeadBackToTheWrapper() throws SQLException {
        both(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("select 1 where 1 = 1");
                    PreparedStatement prepared =
                            connection.prepareStatement("select * from account where id = ? for update");
                    CallableStatement call = connection.prepareCall("{? = call add_to(?, ?)}");
                    ResultSet tables = connection.getMetaData().getTables(null, null, "account", null)) {
                assertThat(row.getStatement()).isSameAs(statement);
                assertThat(statement.getConnection()).isSameAs(connection);
                assertThat(prepared.getConnection()).isSameAs(connection);
                assertThat(call.getConnection()).isSameAs(connection);
                assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
                assertThat(tables.getStatement().getConnection()).isSameAs(connection);
                prepared.setInt(1, 1);
                try (ResultSet locked = prepared.executeQuery()) {
                    assertThat(locked.getStatement()).isSameAs(prepared);
                    assertThat(locked.next()).isTrue();
                }
                assertThat(prepared).hasToString("select * from account where id = ('1'::int4) for update");
            }
        });
    }

    @Test
    void aResultIsOneObjectHoweverItIsAskedFor() throws SQLException {
        both(connection -> {
            try (Statement statement = connection.createStatement();
                    PreparedStatement prepared =
                            connection.prepareStatement("select * from account where id = 1 for update");
                    ResultSet tables = connection.getMetaData().getTables(null, null, "account", null)) {
                ResultSet row = statement.executeQuery("select * from account where id = 1 for update");
                assertThat(statement.getResultSet()).isSameAs(row).isSameAs(statement.getResultSet());
                assertThat(statement.getGeneratedKeys()).isNotSameAs(row);
                assertThat(statement.getResultSet()).isSameAs(row);
                ResultSet again = prepared.executeQuery();
                assertThat(prepared.getResultSet()).isSameAs(again);
                assertThat(prepared.executeQuery()).isNotSameAs(again);
                assertThat(tables.getStatement().getResultSet()).isSameAs(tables);
                assertThat(statement.executeUpdate("update account set balance = 1 where id = 1"))
                        .isOne();
                assertThat(statement.getResultSet()).isNull();
            }
        });
    }

    @Test
    void unwrapsToTheDriverAndToItself() throws SQLException {
        both(connection -> {
            assertThat(connection.isWrapperFor(PGConnection.class)).isTrue();
            assertThat(connection.unwrap(PGConnection.class).getBackendPID()).isPositive();
            assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
            assertThat(connection.isWrapperFor(Runnable.class)).isFalse();
            assertThatThrownBy(() -> connection.unwrap(Runnable.class)).isInstanceOf(SQLException.class);
        });
        assertThat(gated.dataSource.unwrap(PGSimpleDataSource.class)).isNotNull();
        assertThat(gated.dataSource.isWrapperFor(RowlockDataSource.class)).isTrue();
    }

    @Test
    void wrapsOnce() throws SQLException {
        RowlockDataSource twice = RowlockDataSource.wrap(gated.dataSource);
        try (twice;
                Connection connection = twice.getConnection()) {
            assertThat(connection.unwrap(PGConnection.class)).isNotNull();
            long before = gated.figure("account", "recognised");
            TestDatabase.execute(connection, "update account set balance = 1 where id = 1");
            assertThat(gated.figure("account", "recognised")).isEqualTo(before + 1);
            assertThat(twice.control().getFigures()).isEmpty();
        }
    }

    /** As Tomcat's pool may lend it, which then counts the connection as in use until it is closed. */
    @Test
    void returnsABorrowedConnectionThatIsLost() throws SQLException {
        Connection lost = database.dataSource().getConnection();
        lost.close();
        AtomicInteger returned = new AtomicInteger();
        DataSource pool = TestDataSource.of(() -> Proxies.of(Connection.class, (proxy, method, arguments) -> {
            returned.addAndGet(method.getName().equals("close") ? 1 : 0);
            return Proxies.call(lost, method, arguments);
        }));
        try (RowlockDataSource wrapped = RowlockDataSource.wrap(pool)) {
            assertThatThrownBy(wrapped::getConnection).isInstanceOf(SQLException.class);
            assertThat(returned).hasValue(1);
        }
    }

    @Test
    void updatableResults() throws SQLException {
        both(connection -> {
            try (Statement statement =
                            connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                    ResultSet row = statement.executeQuery("select id, balance from account where id = 1")) {
                assertThat(row.first()).isTrue();
                row.updateInt("balance", 9);
                row.updateRow();
                assertThat(row.getInt("balance")).isEqualTo(9);
            }
        });
    }

    @Test
    void calls() throws SQLException {
        both(connection -> {
            try (CallableStatement call = connection.prepareCall("{? = call add_to(?, ?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 40);
                call.setInt(3, 2);
                call.execute();
                assertThat(call.getInt(1)).isEqualTo(42);
            }
        });
    }

    static Stream<PGSimpleDataSource> driverSettings() {
        List<PGSimpleDataSource> all = new ArrayList<>();
        for (PreferQueryMode mode : PreferQueryMode.values()) {
            for (int threshold : new int[] {0, 1, 5, -1}) {
                for (AutoSave autosave : AutoSave.values()) {
                    PGSimpleDataSource settings = new PGSimpleDataSource();
                    settings.setPreferQueryMode(mode);
                    settings.setPrepareThreshold(threshold);
                    settings.setAutosave(autosave);
                    all.add(settings);
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("driverSettings")
    void everySettingOfTheDriver(PGSimpleDataSource settings) throws SQLException {
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setPreferQueryMode(settings.getPreferQueryMode());
        dataSource.setPrepareThreshold(settings.getPrepareThreshold());
        dataSource.setAutosave(settings.getAutosave());
        GatedDatabase other = new GatedDatabase(dataSource, DropInMode.QUEUE, gated.gate);
        for (boolean autocommit : new boolean[] {false, true}) {
            try (Connection connection = other.dataSource.getConnection();
                    PreparedStatement update =
                            connection.prepareStatement("update account set balance = balance + 1 where id = ?")) {
                connection.setAutoCommit(autocommit);
                for (int i = 0; i < 6; i++) {
                    update.setInt(1, 1);
                    assertThat(update.executeUpdate()).isOne();
                    if (!autocommit) {
                        connection.commit();
                    }
                }
            }
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("12");
        assertThat(other.figure("account", "recognised")).isEqualTo(12);
        assertThat(other.figure("account", "passed.TABLE_UNKNOWN")).isOne();
        boolean inOneFlush = settings.getPrepareThreshold() >= 0
                && settings.getAutosave() == AutoSave.NEVER
                && (settings.getPreferQueryMode() == PreferQueryMode.EXTENDED
                        || settings.getPreferQueryMode() == PreferQueryMode.EXTENDED_CACHE_EVERYTHING);
        assertThat(other.figure("account", "fronted")).isEqualTo(fronts() && inOneFlush ? 11 : 0);
        assertThat(other.gate.inside()).isZero();
    }

    @Test
    void looksUpKeysOfEveryForm() throws SQLException {
        database.execute(
                "create table pair(b int, a text, v int, primary key (a, b))",
                "insert into pair values (1, 'x', 0)",
                "create table \"Order Line\"(\"Id\" uuid primary key, v int)",
                "create view accounts as select * from account");
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 2; i++) {
                statement.execute("select * from pair where (b, a) in ((1, 'x')) for update");
                connection.commit();
                statement.execute(
                        "select * from \"Order Line\" where \"Id\" = '" + new java.util.UUID(1, 2) + "' for update");
                connection.commit();
                statement.execute("select * from accounts where id = 1 for update");
                connection.commit();
                statement.execute("update pair set v = 1 where a = 'x'");
                connection.commit();
            }
        }
        assertThat(gated.figure("pair", "passed.TABLE_UNKNOWN")).isOne();
        assertThat(gated.figure("pair", "passed.NO_KEY")).isEqualTo(2);
        assertThat(gated.figure("\"Order Line\"", "recognised")).isEqualTo(2);
        assertThat(gated.figure("accounts", "passed.NO_KEY")).isOne();
    }

    /** As with the schema of a tenant, whose search_path ends with the transaction. The server reports it from 18 on. */
    @Test
    void looksUpAKeyWhereTheStatementSawTheTable() throws SQLException {
        assumeTrue(database.isAtLeast(18), "skipped: before PostgreSQL 18 the search_path is not known");
        String tenant = database.schema() + "_tenant";
        database.execute("create schema " + tenant, "create table " + tenant + ".invoice(id int primary key)");
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 2; i++) {
                TestDatabase.execute(
                        connection, "set local search_path = " + tenant, "delete from invoice where id = 1");
                connection.commit();
            }
            assertThat(TestDatabase.query(connection, "show search_path")).contains(database.schema() + ',');
        } finally {
            database.execute("drop schema " + tenant + " cascade");
        }
        assertThat(gated.figure("invoice", "recognised")).isEqualTo(2);
        assertThat(gated.figure("invoice", "passed.TABLE_UNKNOWN")).isOne();
        assertThat(gated.figure("invoice", "passed.NO_KEY")).isZero();
    }
}
