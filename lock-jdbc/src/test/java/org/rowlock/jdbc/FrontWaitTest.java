package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.TestDatabase.query;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPgBouncer;

/** Who has the lock in front may not have the row: nobody waits for him for long, or fails for it. */
class FrontWaitTest {
    private static final Duration BOUND = Duration.ofMillis(50);

    /** Of a row whose lock in front a test takes alone. */
    private static final String KEYED = "update account set balance = balance + 1 where id = 9";

    private static final String ABSENT = "update account set balance = balance + 1 where id = 8";

    private static final String LOCK = "select * from account where id = 1 for update";
    private static final String SETTING = "select own_setting() from account where id = 1 for update";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null default 0)",
            "insert into account values (1), (2), (9)",
            // A text with the setting in it would be taken for one that changes it.
            "create function own_setting() returns text language sql as 'select current_setting(''lock_timeout'')'");

    private GatedDatabase fronted;

    @BeforeEach
    void open() throws SQLException {
        fronted = of(database.dataSource());
    }

    private static GatedDatabase of(PGSimpleDataSource dataSource) throws SQLException {
        return of(dataSource, BOUND);
    }

    private static GatedDatabase of(PGSimpleDataSource dataSource, Duration bound) throws SQLException {
        GatedDatabase gated = new GatedDatabase(dataSource, DropInMode.QUEUE, GatedDatabase.fronts(bound));
        gated.learn("account");
        return gated;
    }

    private Session holderOfTheKeyAlone() throws Exception {
        Session holder = database.session("holder");
        fronted.takeFrontAlone(holder, "account", "9");
        return holder;
    }

    /** As REQUIRES_NEW does it: the outer transaction stays open until the inner one is done. */
    private int inAnotherTransactionOfTheThread(String outer, List<String> inner) throws Exception {
        Session one = database.session("outer", fronted.dataSource).prepared();
        return one.run(connection -> {
            assertThat(Waiters.update(connection, outer)).isZero();
            try (Connection other = TestDatabase.begin(fronted.dataSource)) {
                int rows = 0;
                for (String sql : inner) {
                    rows = Waiters.update(other, sql);
                    other.commit();
                }
                return rows;
            } finally {
                connection.rollback();
            }
        });
    }

    @Test
    void aThreadThatTriesAStaleVersionAgainOnAnotherConnectionDoesNotWaitForItself() throws Exception {
        String version = "update account set balance = balance + 1 where id = 1 and balance = ";
        assertThat(inAnotherTransactionOfTheThread(version + 5, List.of(version + 0)))
                .isOne();
        assertThat(fronted.figure("account", "fronted")).isZero();
    }

    @Test
    void aThreadThatDidNotFindTheRowInsertsAndUpdatesItOnAnotherConnection() throws Exception {
        assertThat(inAnotherTransactionOfTheThread(ABSENT, List.of("insert into account values (8)", ABSENT)))
                .isOne();
        assertThat(fronted.figure("account", "frontGivenUp")).isZero();
        assertThat(database.query("select balance from account where id = 8")).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTransactionGoesOnAsIfNothingHadBeenInFront(boolean autocommit) throws Exception {
        Session holder = holderOfTheKeyAlone();
        Session other = database.session("other", fronted.dataSource).prepared();
        other.act(connection -> {
            connection.setAutoCommit(autocommit);
            assertThat(Waiters.update(connection, KEYED)).isOne();
            assertThat(Waiters.update(connection, "update account set balance = 7 where id = 2"))
                    .isOne();
            if (!autocommit) {
                assertThat(query(connection, "show lock_timeout")).isEqualTo("0");
                connection.commit();
            }
        });
        assertThat(fronted.figure("account", "frontGivenUp")).isOne();
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("7");
        holder.commit();
    }

    /**
     * A proxy with all interfaces of the driver is still no driver. In a global transaction it refuses a rollback. Some
     * proxies return themselves for an interface that they have.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProxyThatRefusesARollbackIsPassedBy(boolean returnsItself) throws Exception {
        Session holder = holderOfTheKeyAlone();
        DataSource refusing = TestDataSource.of(() -> {
            Connection driver = database.dataSource().getConnection();
            return Proxies.of(BaseConnection.class, (proxy, method, arguments) -> {
                if (method.getName().equals("rollback")) {
                    throw new SQLException("Cannot call method 'rollback' while a global transaction is running");
                }
                boolean isOwn = returnsItself
                        && arguments != null
                        && arguments[0] instanceof Class<?> type
                        && type.isInstance(proxy);
                return isOwn && method.getName().equals("unwrap") ? proxy : Proxies.call(driver, method, arguments);
            });
        });
        GatedDatabase gated = new GatedDatabase(refusing, DropInMode.QUEUE, GatedDatabase.fronts(BOUND));
        gated.learn("account");
        try (Connection other = gated.dataSource.getConnection()) {
            other.setAutoCommit(false);
            assertThat(Waiters.update(other, KEYED)).isOne();
            other.commit();
        }
        assertThat(gated.figure("account", "frontGivenUp")).isOne();
        holder.commit();
    }

    @Test
    void preparedAtTheServerItGoesOnToo() throws Exception {
        Session other = database.session("other", fronted.dataSource).prepared();
        String sql = "update account set balance = ? where id = ? returning balance";
        database.execute("insert into account values (8)");
        other.act(connection -> {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                for (int i = 1; i <= 7; i++) {
                    assertThat(balance(update, i, 8)).isEqualTo(i);
                    connection.commit();
                }
                assertThat(fronted.figure("account", "fronted")).isEqualTo(7);
                Session holder = holderOfTheKeyAlone();
                assertThat(balance(update, 8, 9)).isEqualTo(8);
                connection.commit();
                holder.rollback();
                assertThat(balance(update, 9, 9)).isEqualTo(9);
                connection.commit();
            }
        });
        assertThat(fronted.figure("account", "frontGivenUp")).isOne();
    }

    private static int balance(PreparedStatement update, int balance, int id) throws SQLException {
        update.setInt(1, balance);
        update.setInt(2, id);
        try (ResultSet row = update.executeQuery()) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }

    /** Where a plain statement does not wait, none of the session's timeouts is reached by our wait. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "lock_timeout=2s, 0, PT1H",
        "lock_timeout=2d, 0, PT0.05S",
        "statement_timeout=30s, 0, PT1H",
        "lock_timeout=0, 30, PT1H"
    })
    void noTimeoutIsReachedBecauseOfTheLockInFront(String ofTheSession, int ofTheStatement, Duration bound)
            throws Exception {
        Session holder = holderOfTheKeyAlone();
        GatedDatabase gated = of(database.dataSourceWith("-c " + ofTheSession), bound);
        Session other = database.session("other", gated.dataSource).prepared();
        other.act(connection -> {
            try (PreparedStatement update = connection.prepareStatement(KEYED.replace("9", "?"))) {
                update.setInt(1, 9);
                update.setQueryTimeout(ofTheStatement);
                assertThat(update.executeUpdate()).isOne();
            }
        });
        assertThat(gated.figure("account", "frontGivenUp")).isOne();
        other.commit();
        holder.commit();
    }

    @Test
    void itsLockTimeoutIsReachedAsAlways() throws Exception {
        GatedDatabase gated = of(database.dataSourceWith("-c lock_timeout=50ms"));
        Session waiter = database.session("waiter", gated.dataSource).prepared();
        Session plain = database.session("plain");
        plain.execute(LOCK);
        assertThat(waiter.startExecute(LOCK).state()).isEqualTo("55P03");
        assertThat(waiter.startExecute("select 1").state()).isEqualTo("25P02");
        // After all of the session's timeout, so it was not the lock in front, which has a part of it.
        assertThat(gated.figure("account", "frontGivenUp")).isZero();
        waiter.rollback();

        Session queued = database.session("queued");
        Step<Boolean> step = queued.startExecute(LOCK);
        step.awaitBlockedBy(plain);
        assertThat(waiter.startExecute(LOCK).state()).isEqualTo("55P03");
        waiter.rollback();
        plain.commit();
        step.get();
        queued.commit();

        Session holder = database.session("holder", fronted.dataSource).prepared();
        holder.execute(LOCK);
        GatedDatabase again = of(database.dataSourceWith("-c lock_timeout=50ms"));
        Session behind = database.session("behind", again.dataSource).prepared();
        assertThat(behind.startExecute(LOCK).state()).isEqualTo("55P03");
        assertThat(again.figure("account", "frontGivenUp")).isOne();
        assertThat(behind.startExecute("select 1").state()).isEqualTo("25P02");
        behind.rollback();
        holder.commit();
    }

    /** However late the answer is, what the bound of the lock in front has ended is not told as the session's. */
    @Test
    void aSlowAnswerIsNotTakenForTheTimeoutOfTheSession() throws Exception {
        Session holder = holderOfTheKeyAlone();
        PGSimpleDataSource impatient = database.dataSourceWith("-c lock_timeout=50ms");
        try (TcpProxy proxy = TcpProxy.to(impatient)) {
            GatedDatabase gated = of(proxy.through(impatient));
            Session other = database.session("other", gated.dataSource).prepared();
            proxy.delay(Duration.ofMillis(30), Duration.ofMillis(30));
            other.execute(KEYED);
            assertThat(gated.figure("account", "frontGivenUp")).isOne();
            other.commit();
        }
        holder.commit();
    }

    /** What the table's lock ends is told as the driver does, and not waited for again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTableThatIsLockedIsWaitedForOnce(boolean autocommit) throws Exception {
        GatedDatabase gated = of(database.dataSourceWith("-c lock_timeout=50ms"));
        Session holder = database.session("plain");
        holder.execute("lock table account");
        Session waiter = database.session("waiter", gated.dataSource).prepared();
        waiter.connection().setAutoCommit(autocommit);
        assertThat(waiter.startExecute(LOCK).state()).isEqualTo("55P03");
        if (!autocommit) {
            assertThat(waiter.startExecute("select 1").state()).isEqualTo("25P02");
            waiter.rollback();
        }
        assertThat(gated.figure("account", "fronted")).isZero();
        assertThat(gated.figure("account", "frontGivenUp")).isZero();
        holder.commit();
        waiter.execute(LOCK);
        assertThat(gated.figure("account", "fronted")).isOne();
        waiter.connection().setAutoCommit(false);
    }

    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "1500ms, false", "1500ms, true", "7min, false", "7min, true", "1d, false"})
    void theStatementHasTheLockTimeoutOfTheSession(String timeout, boolean autocommit) throws Exception {
        GatedDatabase gated = of(database.dataSourceWith("-c lock_timeout=" + timeout));
        try (Connection connection = gated.dataSource.getConnection();
                PreparedStatement prepared = connection.prepareStatement(SETTING.replace("1", "?"))) {
            connection.setAutoCommit(autocommit);
            for (int i = 0; i < 7; i++) {
                prepared.setInt(1, 1);
                try (ResultSet row = prepared.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1)).isEqualTo(timeout);
                }
                end(connection);
            }
            assertThat(prepared(connection, SETTING)).isEqualTo(timeout);
            assertThat(query(connection, "show lock_timeout")).isEqualTo(timeout);
            end(connection);
            assertThat(gated.figure("account", "fronted")).isEqualTo(8);
            assertThat(query(connection, "show lock_timeout")).isEqualTo(timeout);
            end(connection);
        }
    }

    private static String prepared(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    private static void end(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /** What the transaction sets itself holds, and what its session had comes back. */
    @Test
    void aLockTimeoutThatTheTransactionSetsIsNotTouched() throws Exception {
        Session session = database.session("sets", fronted.dataSource).prepared();
        session.act(connection -> {
            try (PreparedStatement lock = connection.prepareStatement(LOCK);
                    Statement statement = connection.createStatement()) {
                lock.execute();
                statement.execute("set local lock_timeout = '3s'");
                assertThat(query(connection, "show lock_timeout")).isEqualTo("3s");
                connection.rollback();
                assertThat(query(connection, "show lock_timeout")).isEqualTo("0");
                connection.rollback();
                lock.execute();
                statement.execute("set lock_timeout = '4s'");
                connection.commit();
                assertThat(query(connection, "show lock_timeout")).isEqualTo("4s");
                connection.commit();
            }
        });
        assertThat(fronted.figure("account", "fronted")).isEqualTo(2);
    }

    /** One server connection for all, so that what a transaction leaves behind the next one sees. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void behindAPoolerNothingIsLeftInTheSession(boolean autocommit) throws Exception {
        assumeTrue(TestPgBouncer.program().isPresent(), "PgBouncer is not installed");
        Map<String, String> settings = Map.of("default_pool_size", "1");
        try (TestPgBouncer bouncer = TestPgBouncer.start("transaction", "set lock_timeout = ''7min''", settings)) {
            PGSimpleDataSource dataSource = bouncer.dataSource();
            dataSource.setPrepareThreshold(0);
            GatedDatabase gated = new GatedDatabase(dataSource, DropInMode.QUEUE, GatedDatabase.fronts(BOUND));
            String table = database.schema() + ".account";
            gated.learn(table);
            String setting = SETTING.replace("account", table).replace("own_", database.schema() + ".own_");
            try (Connection connection = gated.dataSource.getConnection();
                    Connection other = dataSource.getConnection()) {
                connection.setAutoCommit(autocommit);
                for (int i = 1; i <= 7; i++) {
                    assertThat(prepared(connection, setting)).isEqualTo("7min");
                    end(connection);
                    assertThat(query(other, "show lock_timeout")).isEqualTo("7min");
                }
                assertThat(gated.figure(table, "fronted")).isEqualTo(7);
            }
        }
    }

    /** Its waiters hold rows while they wait for a key; so none of its keys goes in front of a statement. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void besideBothThereIsNoCircleOfAKeyAndARow(boolean keyAlone) throws Exception {
        RowLocks both = LockAccess.builder().strategy(LockStrategy.BOTH).build();
        Session other = database.session("other", fronted.dataSource).prepared();
        Session holder = database.session("both");
        int id = keyAlone ? 9 : 1;
        if (keyAlone) {
            fronted.takeFrontAlone(other, "account", "9");
        } else {
            other.execute("update account set balance = 1 where id = 1 and balance = 99");
        }
        holder.run(connection -> both.in(connection).lock(forUpdate(LockKey.row("account", 2))));
        Step<Boolean> step = other.startExecute("select * from account where id = 2 for update");
        step.awaitBlockedBy(holder);
        holder.run(connection -> both.in(connection).lock(forUpdate(LockKey.row("account", id))));
        holder.commit();
        step.get();
        other.commit();
    }

    @Test
    void whoLocksTheKeyAloneIsNotWaitedForAsWithoutUs() throws Exception {
        RowLocks advisory = LockAccess.builder().strategy(LockStrategy.ADVISORY).build();
        Session holder = database.session("advisory");
        Session other = database.session("other", fronted.dataSource).prepared();
        holder.run(connection -> advisory.in(connection).lock(forUpdate(LockKey.row("account", 1))));
        other.execute(LOCK);
        assertThat(fronted.figure("account", "fronted")).isOne();
        assertThat(fronted.figure("account", "frontGivenUp")).isZero();
        other.commit();
        holder.commit();
    }

    /** A lock in front would be waited for with the snapshot that the statement then reads by. */
    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void aSnapshotOfTheTransactionIsNotTakenInFrontOfAWait(int isolation) throws Exception {
        Session holder = holderOfTheKeyAlone();
        Session other = database.session("other", fronted.dataSource).prepared();
        other.act(connection -> {
            connection.setTransactionIsolation(isolation);
            assertThat(Waiters.update(connection, KEYED)).isOne();
        });
        assertThat(other.advisoryLocks()).isZero();
        assertThat(fronted.figure("account", "frontGivenUp")).isZero();
        other.commit();
        holder.commit();
    }

    @Test
    void afterALongWaitTheRowIsLeftAloneForAWhile() throws Exception {
        GatedDatabase gated = new GatedDatabase(
                database.dataSourceWith("-c lock_timeout=100ms"), DropInMode.QUEUE, KeyQueues.adaptive(0));
        gated.learn("account");
        Session holder = holderOfTheKeyAlone();
        Session other = database.session("other", gated.dataSource).prepared();
        for (int i = 0; i < 3; i++) {
            other.execute(KEYED);
            other.commit();
        }
        assertThat(gated.figure("account", "frontGivenUp")).isOne();
        holder.commit();
        other.execute("update account set balance = 2 where id = 2");
        assertThat(other.advisoryLocks()).isOne();
        other.commit();
    }
}
