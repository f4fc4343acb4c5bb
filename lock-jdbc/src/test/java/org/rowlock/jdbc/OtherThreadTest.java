package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;

/**
 * What another thread calls while a statement waits for a row at the server: it ends, and the statement, as with the
 * driver or the pool alone. The key of the statement's table is to be looked up as soon as the connection is idle.
 */
class OtherThreadTest {
    private static final String UPDATE = "update note set text = 'x' where id = 1";

    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table note(id int primary key, text text)", "insert into note values (1), (2)");

    private final ExecutorService otherThread = Executors.newSingleThreadExecutor();

    private enum Call {
        CLOSE,
        ABORT,
        CANCEL,
        CLOSE_STATEMENT,
        IS_CLOSED,
        ROLLBACK,
        COMMIT,
        AUTOCOMMIT,
        IS_VALID,
        WARNINGS,
        QUERY;

        /** Whether the driver does it without waiting for the statement. */
        private boolean endsFirst(boolean autocommit) {
            return ordinal() <= IS_CLOSED.ordinal() || (autocommit && ordinal() <= AUTOCOMMIT.ordinal());
        }

        private Object on(Connection connection, Statement statement) throws SQLException {
            switch (this) {
                case CLOSE -> connection.close();
                case ABORT -> connection.abort(Runnable::run);
                case CANCEL -> statement.cancel();
                case CLOSE_STATEMENT -> statement.close();
                case ROLLBACK -> connection.rollback();
                case COMMIT -> connection.commit();
                case AUTOCOMMIT -> connection.setAutoCommit(true);
                case IS_CLOSED -> {
                    return connection.isClosed();
                }
                case IS_VALID -> {
                    return connection.isValid(0);
                }
                case WARNINGS -> {
                    return connection.getWarnings();
                }
                case QUERY -> {
                    try (Statement other = connection.createStatement()) {
                        return other.executeUpdate("update note set text = 'y' where id = 2");
                    }
                }
            }
            return "done";
        }
    }

    private enum Pool {
        NONE,
        IN_FRONT,
        BEHIND
    }

    static Stream<Arguments> schedules() {
        return Arrays.stream(Call.values())
                .flatMap(call -> Stream.of(true, false)
                        .flatMap(autocommit -> Stream.of(Pool.NONE, Pool.BEHIND)
                                .filter(pool -> pool == Pool.NONE || call.compareTo(Call.IS_CLOSED) < 0)
                                .map(pool -> Arguments.of(call, autocommit, pool))));
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void isAsWithoutTheWrapper(Call call, boolean autocommit, Pool pool) throws Exception {
        try (HikariDataSource plain = pool();
                HikariDataSource wrapped = pool()) {
            DataSource alone = pool == Pool.NONE ? database.dataSource() : plain;
            DataSource behind = pool == Pool.NONE ? database.dataSource() : wrapped;
            String expected = outcome(alone, call, autocommit);
            GatedDatabase gated = GatedDatabase.oneAtATime(behind);
            assertThat(outcome(gated.dataSource, call, autocommit)).isEqualTo(expected);
            assertThat(gated.figure("note", "passed.TABLE_UNKNOWN")).isPositive();
            assertThat(gated.gate.inside()).isZero();
        } finally {
            otherThread.shutdownNow();
        }
    }

    private HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database.dataSource());
        pool.setMaximumPoolSize(2);
        pool.setMinimumIdle(0);
        return pool;
    }

    private String outcome(DataSource dataSource, Call call, boolean autocommit) throws Exception {
        return outcome(dataSource, autocommit, call.endsFirst(autocommit), call::on);
    }

    private interface Calling {
        Object on(Connection connection, Statement statement) throws SQLException;
    }

    private String outcome(DataSource dataSource, boolean autocommit, boolean endsFirst, Calling calling)
            throws Exception {
        try (Session holder = database.session("holder");
                Session waiter = database.session("waiter", dataSource)) {
            holder.execute("select * from note where id = 1 for update");
            waiter.connection().setAutoCommit(autocommit);
            AtomicReference<Statement> statement = new AtomicReference<>();
            Step<Integer> update = waiter.start(connection -> {
                statement.set(connection.createStatement());
                return statement.get().executeUpdate(UPDATE);
            });
            update.awaitBlockedBy(holder);
            Future<String> called =
                    otherThread.submit(() -> outcome(() -> calling.on(waiter.connection(), statement.get())));
            if (endsFirst) {
                TestDatabase.result(called);
            }
            holder.commit();
            String outcome = "call: " + TestDatabase.result(called) + ", statement: " + outcome(update::get)
                    + ", then: " + outcome(() -> after(waiter));
            // After an abort, the server process still runs the statement. In the next schedule, the process could
            // hold the place before the waiter in the server's queue for the row.
            TestDatabase.await("the server has ended the statement")
                    .until(() -> database.query("select not exists (select from pg_stat_activity where state = 'active'"
                                    + " and pid = " + waiter.pid() + ")")
                            .equals("t"));
            return outcome;
        }
    }

    private static Object after(Session waiter) throws Exception {
        waiter.execute("select 1");
        return "open";
    }

    /** What it gives, or the SQLSTATE. */
    private static String outcome(Callable<?> call) throws Exception {
        try {
            return String.valueOf(call.call());
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    /** A pool that is closed aborts the connections in use, from a thread of its own. */
    @ParameterizedTest
    @EnumSource(
            value = Pool.class,
            names = {"IN_FRONT", "BEHIND"})
    void aPoolEndsAConnectionInUse(Pool pool) throws Exception {
        String expected;
        try (HikariDataSource alone = pool()) {
            expected = outcome(alone, true, true, (connection, statement) -> closed(alone));
        }
        try (HikariDataSource hikari = pool()) {
            DataSource plain = pool == Pool.BEHIND ? hikari : database.dataSource();
            GatedDatabase gated = GatedDatabase.oneAtATime(plain);
            if (pool == Pool.IN_FRONT) {
                hikari.setDataSource(gated.dataSource);
            }
            DataSource application = pool == Pool.IN_FRONT ? hikari : gated.dataSource;
            assertThat(outcome(application, true, true, (connection, statement) -> closed(hikari)))
                    .isEqualTo(expected);
            assertThat(gated.gate.inside()).isZero();
        } finally {
            otherThread.shutdownNow();
        }
    }

    private enum Ending {
        COMMIT,
        ROLLBACK,
        AUTOCOMMIT_ON,
        AUTOCOMMIT_OFF,
        /** Returns the connection to its pool, and runs a transaction on it. */
        LEND;

        private Object on(Connection connection, DataSource pool) throws SQLException {
            switch (this) {
                case COMMIT -> connection.commit();
                case ROLLBACK -> connection.rollback();
                case AUTOCOMMIT_ON -> connection.setAutoCommit(true);
                case AUTOCOMMIT_OFF -> connection.setAutoCommit(false);
                case LEND -> {
                    connection.close();
                    try (Connection next = TestDatabase.begin(pool)) {
                        TestDatabase.execute(next, "update note set text = 'y' where id = 2");
                        next.commit();
                    }
                }
            }
            return "done";
        }
    }

    /** The statement waits in the JVM, where the driver does not know of it. */
    @ParameterizedTest
    @EnumSource
    void aTransactionEndsAfterItsWaitingStatement(Ending ending) throws Exception {
        try (HikariDataSource plain = pool();
                HikariDataSource wrapped = pool()) {
            String expected = outcome(ending, plain, null);
            GatedDatabase gated = GatedDatabase.oneAtATime(database.dataSource());
            wrapped.setDataSource(gated.dataSource);
            assertThat(outcome(ending, wrapped, gated)).isEqualTo(expected);
            assertThat(gated.gate.inside()).isZero();
        } finally {
            otherThread.shutdownNow();
        }
    }

    private String outcome(Ending ending, DataSource pool, GatedDatabase gated) throws Exception {
        try (Session holder = database.session("holder");
                Session first = database.session("first", pool);
                Session waiter = database.session("waiter", pool)) {
            first.connection().setAutoCommit(true);
            first.execute("delete from note where id = 0");
            holder.execute("select from note where id = 1 for update");
            Step<Boolean> blocked = first.startExecute("update note set text = 'z' where id = 1");
            blocked.awaitBlockedBy(holder);
            waiter.connection().setAutoCommit(ending == Ending.AUTOCOMMIT_OFF);
            Step<Integer> update = waiter.start(connection -> {
                try (Statement statement = connection.createStatement()) {
                    return statement.executeUpdate(UPDATE);
                }
            });
            if (gated == null) {
                update.awaitBlockedBy(first);
            } else {
                gated.awaitQueued(1);
            }
            AtomicReference<Thread> caller = new AtomicReference<>();
            Future<String> called = otherThread.submit(() -> {
                caller.set(Thread.currentThread());
                return outcome(() -> ending.on(waiter.connection(), pool));
            });
            TestDatabase.await("the call has returned or waits")
                    .until(() -> called.isDone() || (caller.get() != null && waits(caller.get())));
            String ended = ending == Ending.LEND ? TestDatabase.result(called) : "";
            holder.commit();
            assertThat(blocked.get()).isFalse();
            return "call: " + TestDatabase.result(called) + ended + ", statement: " + outcome(update::get) + ", then: "
                    + database.query("select string_agg(text, ',' order by id) from note") + ' '
                    + database.query("select state from pg_stat_activity where pid = " + waiter.pid());
        }
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.BLOCKED;
    }

    /** The driver sends the statements of one connection one after another. */
    @Test
    void aStatementFollowsAWaitingStatementOfItsConnection() throws Exception {
        GatedDatabase gated = GatedDatabase.oneAtATime(database.dataSource());
        gated.learn("note");
        try (Session holder = database.session("holder");
                Session first = database.session("first", gated.dataSource);
                Session waiter = database.session("waiter", gated.dataSource)) {
            first.connection().setAutoCommit(true);
            holder.execute("update note set text = 'z' where id = 1");
            Step<Boolean> blocked = first.startExecute(UPDATE);
            blocked.awaitBlockedBy(holder);
            Step<Boolean> update = waiter.startExecute(UPDATE);
            gated.awaitQueued(1);
            AtomicReference<Thread> thread = new AtomicReference<>();
            Future<String> other = otherThread.submit(() -> outcome(() -> {
                thread.set(Thread.currentThread());
                TestDatabase.execute(waiter.connection(), "update note set text = 'y' where id = 2");
                waiter.connection().commit();
                return "done";
            }));
            TestDatabase.await("the other thread waits").until(() -> thread.get() != null && waits(thread.get()));
            holder.execute("set local lock_timeout = '2s'");
            holder.execute("update note set text = 'z' where id = 2");
            holder.commit();
            assertThat(blocked.get()).isFalse();
            assertThat(update.get()).isFalse();
            assertThat(TestDatabase.result(other)).isEqualTo("done");
            assertThat(database.query("select string_agg(text, ',' order by id) from note"))
                    .isEqualTo("x,y");
        } finally {
            otherThread.shutdownNow();
        }
    }

    /** A pool that caches statements clears their values when another thread returns the connection. */
    @Test
    void aWaitingStatementDoesNotSendTheValuesOfTheNextBorrower() throws Exception {
        GatedDatabase gated = GatedDatabase.of(database, "note");
        try (Session holder = database.session("holder");
                Session first = database.session("first", gated.dataSource);
                Connection waiter = gated.dataSource.getConnection();
                PreparedStatement update = waiter.prepareStatement("update note set text = 'x' where id = ?")) {
            holder.execute("select * from note where id = 1 for update");
            Step<Boolean> blocked = first.startExecute(UPDATE);
            blocked.awaitBlockedBy(holder);
            update.setInt(1, 1);
            Future<String> waiting = otherThread.submit(() -> outcome(update::executeUpdate));
            gated.awaitQueued(1);
            update.clearParameters();
            update.setInt(1, 2);
            holder.commit();
            assertThat(blocked.get()).isFalse();
            first.commit();
            assertThat(TestDatabase.result(waiting)).isEqualTo("57014");
            assertThat(database.query("select text from note where id = 2")).isNull();
            assertThat(update.executeUpdate()).isOne();
        } finally {
            otherThread.shutdownNow();
        }
    }

    /** The wait for the front lock is over, and Rowlock has not yet sent the statement without it. */
    @ParameterizedTest
    @CsvSource({"IN_FRONT, true", "IN_FRONT, false", "BEHIND, true", "BEHIND, false"})
    void aFrontThatIsGivenUpDoesNotUndoTheWorkOfTheNextBorrower(Pool pool, boolean autocommit) throws Exception {
        AtomicReference<Connection> next = new AtomicReference<>();
        AtomicReference<Future<String>> lent = new AtomicReference<>();
        try (HikariDataSource hikari = pool();
                Session holder = database.session("holder")) {
            hikari.setMaximumPoolSize(1);
            AtomicReference<DataSource> application = new AtomicReference<>(hikari);
            AtomicReference<Connection> first = new AtomicReference<>();
            AtomicReference<Thread> thread = new AtomicReference<>();
            Callable<String> lend = () -> {
                thread.set(Thread.currentThread());
                first.get().close();
                next.set(TestDatabase.begin(application.get()));
                TestDatabase.execute(next.get(), "update note set text = 'y' where id = 2");
                return "lent";
            };
            DataSource connections = pool == Pool.BEHIND ? hikari : database.dataSource();
            GatedDatabase gated = new GatedDatabase(
                    TestDataSource.of(() -> failing(connections.getConnection(), () -> {
                        lent.set(otherThread.submit(lend));
                        TestDatabase.await()
                                .until(() -> lent.get().isDone() || (thread.get() != null && waits(thread.get())));
                    })),
                    DropInMode.QUEUE,
                    GatedDatabase.fronts(Duration.ofMillis(50)));
            gated.learn("note");
            if (pool == Pool.IN_FRONT) {
                hikari.setDataSource(gated.dataSource);
            } else {
                application.set(gated.dataSource);
            }
            gated.takeFrontAlone(holder, "note", "1");
            first.set(application.get().getConnection());
            first.get().setAutoCommit(autocommit);
            try (PreparedStatement update = first.get().prepareStatement(UPDATE)) {
                assertThat(outcome(update::executeUpdate)).isNotEqualTo("1");
            }
            assertThat(TestDatabase.result(lent.get())).isEqualTo("lent");
            next.get().commit();
            next.get().close();
            assertThat(database.query("select string_agg(coalesce(text, '-'), ',' order by id) from note"))
                    .isEqualTo("-,y");
            assertThat(gated.gate.inside()).isZero();
        } finally {
            otherThread.shutdownNow();
        }
    }

    /** A connection that calls back after a flush has failed. */
    private static Connection failing(Connection driver, Runnable failed) {
        return Proxies.of(Connection.class, (proxy, method, arguments) -> {
            Object made = Proxies.call(driver, method, arguments);
            return made instanceof PreparedStatement prepared
                    ? Proxies.of(PreparedStatement.class, (own, call, values) -> {
                        try {
                            return Proxies.call(prepared, call, values);
                        } catch (SQLException e) {
                            if ("55P03".equals(e.getSQLState())) {
                                failed.run();
                            }
                            throw e;
                        }
                    })
                    : made;
        });
    }

    private static Object closed(HikariDataSource pool) {
        pool.close();
        return "done";
    }

    /** The statement has its answer by then, and its thread asks for the key of its table. */
    @Test
    void closingDoesNotWaitForALookUp() throws Exception {
        GatedDatabase gated = GatedDatabase.oneAtATime(database.dataSource());
        try (Session holder = database.session("holder");
                Session looking = database.session("looking", gated.dataSource)) {
            looking.connection().setAutoCommit(true);
            // So that the session knows all that the statement needs.
            TestDatabase.execute(looking.connection().unwrap(PgConnection.class), UPDATE);
            holder.execute("lock table pg_catalog.pg_index in access exclusive mode");
            Step<Boolean> update = looking.startExecute(UPDATE);
            String blocked = "select cardinality(pg_blocking_pids(" + looking.pid() + ")) > 0";
            // Not by a new session, which would need the catalog too.
            TestDatabase.await("the look-up waits for the catalog")
                    .until(() -> holder.run(connection -> TestDatabase.query(connection, blocked))
                            .equals("t"));
            Future<String> closed = otherThread.submit(() -> outcome(() -> Call.CLOSE.on(looking.connection(), null)));
            assertThat(TestDatabase.result(closed)).isEqualTo("done");
            assertThat(update.get()).isFalse();
            holder.rollback();
        } finally {
            otherThread.shutdownNow();
        }
    }
}
