package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PGobject;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Who waits in the JVM, and what ends that wait. The gate lets one at a time go to the server. */
class QueueTest {
    private static final String LOCK = "select * from account where id = 1 for update";

    @RegisterExtension
    final TestDatabase database =
            TestDatabase.accounts(2, "create table note(id int primary key, account int references account)");

    private GatedDatabase gated;
    private Session holder;
    private Session inFront;
    private Step<Boolean> first;

    @BeforeEach
    void open() throws Exception {
        gated = GatedDatabase.of(database, "account", "note");
        // Not through the wrapper, so that the gate is left to those who wait.
        holder = database.session("holder");
        holder.execute(LOCK);
    }

    @AfterEach
    void nothingIsLeftInTheGate() {
        assertThat(gated.gate.queued()).isZero();
        assertThat(gated.gate.inside()).isZero();
    }

    private Session session(String name) throws SQLException {
        return database.session(name, gated.dataSource);
    }

    /** One who waits at the server, so that the next wait in the JVM. */
    private void startInFront() throws Exception {
        inFront = session("inFront");
        first = inFront.startExecute(LOCK).awaitBlockedBy(holder);
    }

    private void endInFront() throws Exception {
        holder.commit();
        first.get();
        inFront.commit();
    }

    private void endWith(Step<?> step) throws Exception {
        holder.commit();
        Step.commitAll(List.of(first, step));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                LOCK,
                "select * from account a where a.id = 1 for no key update of a",
                "update account set balance = balance + 1 where id = 1",
                "delete from account where id = 1"
            })
    void oneWaitsAtTheServerAndTheOthersInTheJvm(String sql) throws Exception {
        List<Step<?>> steps = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            steps.add(session("s" + i).startExecute(sql));
        }
        gated.awaitQueued(3);
        TestDatabase.await().until(() -> database.waiting() == 1);

        holder.commit();
        Step.commitAll(steps);
        assertThat(gated.figure("account", "queued")).isGreaterThanOrEqualTo(3);
    }

    @Test
    void preparedStatementsQueueByTheirValues() throws Exception {
        startInFront();
        Session same = session("same");
        Session other = session("other");
        Step<Integer> queued = same.start(connection -> update(connection, 1));
        gated.awaitQueued(1);

        // Another row has a place of its own.
        int updated = other.run(connection -> update(connection, 2));
        assertThat(updated).isOne();
        other.commit();

        endInFront();
        assertThat(queued.get()).isOne();
        same.commit();
    }

    private static int update(java.sql.Connection connection, int id) throws SQLException {
        return Waiters.update(connection, "update account set balance = ? where balance >= ? and id = ?", 7, 0L, id);
    }

    /** A lock of its own, or that on the parent of a row that it has inserted. */
    @ParameterizedTest
    @ValueSource(strings = {"select * from account where id = 2 for update", "insert into note values (1, 1)"})
    void onlyTheFirstLockOfATransactionQueues(String before) throws Exception {
        String weaker = "select * from account where id = 1 for no key update";
        holder.commit();
        holder.execute(weaker);
        inFront = session("inFront");
        first = inFront.startExecute(weaker).awaitBlockedBy(holder);
        Session later = session("later");
        later.execute(before);

        Step<Boolean> second = later.startExecute("update account set balance = 1 where id = 1");
        second.awaitBlockedBy(holder, inFront);

        assertThat(gated.figure("account", "passed.NOT_FIRST")).isOne();
        endWith(second);
    }

    /** The driver sends the UPDATE of an updatable result itself. */
    @Test
    void aRowChangedThroughItsResultIsALock() throws Exception {
        startInFront();
        Session later = session("later");
        later.act(connection -> {
            try (Statement statement =
                            connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE);
                    ResultSet row = statement.executeQuery("select id, balance from account where id = 2")) {
                assertThat(row.next()).isTrue();
                row.updateInt("balance", 5);
                row.updateRow();
            }
        });

        Step<Boolean> second = later.startExecute(LOCK);
        second.awaitBlockedBy(inFront);

        assertThat(gated.figure("account", "passed.NOT_FIRST")).isOne();
        endWith(second);
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("5");
    }

    /** Reads are no locks, and those of an earlier transaction are gone. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from account where id = 2; savepoint s",
                "update account set balance = 1 where id = 2; rollback",
                "update account set balance = 1 where id = 2; commit"
            })
    void whatIsNoLockOfTheTransactionDoesNotCount(String before) throws Exception {
        Session next = session("next");
        for (String sql : before.split("; ")) {
            if (sql.equals("rollback")) {
                next.rollback();
            } else {
                next.execute(sql);
            }
        }
        startInFront();
        Step<Boolean> second = next.startExecute(LOCK);
        gated.awaitQueued(1);
        endWith(second);
    }

    /** From PostgreSQL 18, which reports a changed search_path. */
    @Test
    void tenantsBySearchPathDoNotQueueForEachOther() throws Exception {
        assumeTrue(
                Integer.parseInt(database.query("show server_version_num")) >= 180_000,
                "skipped: this server does not report its search_path");
        String tenant = database.schema() + "_tenant";
        database.execute(
                "create schema " + tenant,
                "create table " + tenant + ".account(id int primary key, balance int not null default 0)",
                "insert into " + tenant + ".account values (1)");
        Session other = session("other");
        other.execute("set search_path = " + tenant);
        other.execute("update account set balance = 1 where id = 1");
        other.commit();
        startInFront();

        other.execute(LOCK);
        assertThat(gated.figure("account", "queued")).isZero();

        other.rollback();
        endInFront();
        database.execute("drop schema " + tenant + " cascade");
    }

    /** Columns that the index of a primary key only includes are no part of the key. */
    @Test
    void aKeyThatIncludesOtherColumnsQueues() throws Exception {
        database.execute(
                "create table wide(id int, note text, primary key (id) include (note))",
                "insert into wide values (1, 'x'), (2, 'x')");
        String lock = "select * from wide where id = 1 for update";
        inFront = session("inFront");
        Session behind = session("behind");
        inFront.execute("update wide set note = 'y' where id = 2");
        inFront.commit();
        holder.execute(lock);
        first = inFront.startExecute(lock).awaitBlockedBy(holder);

        Step<Boolean> second = behind.startExecute(lock);
        gated.awaitQueued(1);

        endWith(second);
    }

    /** By whatever search_path, and with its schema or without. */
    @Test
    void aTableThatTenantsShareHasOneQueue() throws Exception {
        Session elsewhere = session("elsewhere");
        elsewhere.execute("set search_path = public");
        String account = database.schema() + ".account";
        elsewhere.execute("update " + account + " set balance = 1 where id = 2");
        elsewhere.commit();
        startInFront();

        Step<Boolean> second = elsewhere.startExecute("select * from " + account + " where id = 1 for update");
        gated.awaitQueued(1);

        endWith(second);
    }

    @Test
    void nowaitAndSkipLockedNeverQueue() throws Exception {
        startInFront();
        Session other = session("other");

        other.execute(LOCK + " skip locked");
        other.rollback();
        assertThatThrownBy(() -> other.execute(LOCK + " nowait")).hasFieldOrPropertyWithValue("SQLState", "55P03");
        other.rollback();

        endInFront();
    }

    @Test
    void aPlaceIsLeftWhereNoRowWasFoundAndWhereTheStatementFails() throws Exception {
        Session session = session("session");
        session.execute("update account set balance = 1 where id = 3");
        assertThat(gated.gate.inside()).isZero();
        session.rollback();
        assertThatThrownBy(() -> session.execute("update account set balance = 1 / 0 where id = 2"))
                .isInstanceOf(SQLException.class);
        assertThat(gated.gate.inside()).isZero();
        session.rollback();
        holder.commit();
    }

    @Test
    void aPlaceIsLeftWhereTheConnectionIsLost() throws Exception {
        startInFront();
        Session next = session("next");
        Step<Boolean> second = next.startExecute(LOCK);
        gated.awaitQueued(1);

        inFront.terminate();
        assertThatThrownBy(first::get).isInstanceOf(SQLException.class);
        second.awaitBlockedBy(holder, inFront);

        holder.commit();
        second.get();
        next.commit();
    }

    @Test
    void cancelEndsTheWaitAsTheServerDoes() throws Exception {
        startInFront();
        Session waiter = session("waiter");
        AtomicReference<Statement> statement = new AtomicReference<>();
        Step<Boolean> cancelled = waiter.start(connection -> {
            statement.set(connection.createStatement());
            return statement.get().execute(LOCK);
        });
        gated.awaitQueued(1);

        statement.get().cancel();

        assertThat(cancelled.failure())
                .hasFieldOrPropertyWithValue("SQLState", "57014")
                .hasMessageContaining("canceling statement due to user request");
        assertThatThrownBy(() -> waiter.execute("select 1")).hasFieldOrPropertyWithValue("SQLState", "25P02");
        waiter.rollback();
        endInFront();
    }

    @Test
    void aBatchThatIsCancelledInTheJvmIsNotSentLater() throws Exception {
        startInFront();
        Session waiter = session("waiter");
        Statement statement = waiter.connection().createStatement();
        statement.addBatch("update account set balance = 7 where id = 1");
        Step<int[]> cancelled = waiter.start(connection -> statement.executeBatch());
        gated.awaitQueued(1);
        statement.cancel();
        assertThat(cancelled.state()).isEqualTo("57014");
        waiter.rollback();
        endInFront();

        statement.addBatch("update account set balance = 8 where id = 2");
        assertThat(statement.executeBatch()).containsExactly(1);
        waiter.commit();
        assertThat(database.query("select count(*) from account where balance = 7"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingOrAbortingTheConnectionEndsTheWait(boolean abort) throws Exception {
        startInFront();
        Session waiter = session("waiter");
        Step<Boolean> gone = waiter.startExecute(LOCK);
        gated.awaitQueued(1);

        if (abort) {
            waiter.connection().abort(Runnable::run);
        } else {
            waiter.connection().close();
        }

        assertThatThrownBy(gone::get).isInstanceOf(SQLException.class);
        endInFront();
    }

    @Test
    void anInterruptEndsTheWaitInTheJvmAndNotTheOneForTheLock() throws Exception {
        startInFront();
        Session waiter = session("waiter");
        AtomicReference<Thread> thread = new AtomicReference<>();
        AtomicBoolean kept = new AtomicBoolean();
        Step<Boolean> second = waiter.start(connection -> {
            thread.set(Thread.currentThread());
            try (Statement statement = connection.createStatement()) {
                boolean result = statement.execute(LOCK);
                kept.set(Thread.interrupted());
                return result;
            }
        });
        gated.awaitQueued(1);

        thread.get().interrupt();
        second.awaitBlockedBy(holder, inFront);

        endWith(second);
        assertThat(kept).isTrue();
    }

    @Test
    void withoutProgressMoreAndMoreGoToTheServer() throws Exception {
        gated = new GatedDatabase(database.dataSource(), DropInMode.QUEUE, GatedDatabase.queues(1, 1));
        gated.learn("account");
        List<Step<?>> steps = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            steps.add(session("s" + i).startExecute(LOCK));
        }
        TestDatabase.await().until(() -> database.waiting() == 3);
        holder.commit();
        Step.commitAll(steps);
    }

    /** The server's own timeout still ends the statement, with its own error; the JVM takes a tenth of it at most. */
    @ParameterizedTest
    @CsvSource({"lock_timeout, 55P03", "statement_timeout, 57014", "query timeout, 57014"})
    void timeoutsEndTheWait(String setting, String state) throws Exception {
        startInFront();
        Session waiter = session("waiter");
        boolean ofTheSession = setting.contains("_");
        if (ofTheSession) {
            waiter.execute("set local " + setting + " = '100ms'");
        }
        Step<Boolean> timed = waiter.start(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.setQueryTimeout(ofTheSession ? 0 : 1);
                return statement.execute(LOCK);
            }
        });
        assertThat(timed.failure()).hasFieldOrPropertyWithValue("SQLState", state);
        waiter.rollback();
        endInFront();
    }

    @Test
    void aTimeoutThatABatchSetsEndsTheWait() throws Exception {
        startInFront();
        Session waiter = session("waiter");
        Step<Boolean> untimed = waiter.startExecute(LOCK);
        gated.awaitQueued(1);
        endWith(untimed);

        holder.execute(LOCK);
        startInFront();
        waiter.run(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("select 1");
                statement.addBatch("set lock_timeout = '100ms'");
                return statement.executeBatch();
            }
        });
        waiter.commit();
        assertThat(waiter.startExecute(LOCK).failure()).hasFieldOrPropertyWithValue("SQLState", "55P03");
        waiter.rollback();
        endInFront();
    }

    @Test
    void observeCountsAndLetsAllThrough() throws Exception {
        gated.dropIn.set("mode", DropInMode.OBSERVE.name());
        startInFront();
        Session next = session("next");
        Step<Boolean> second = next.startExecute(LOCK);
        second.awaitBlockedBy(holder, inFront);
        assertThat(gated.figure("account", "wouldQueue")).isOne();
        assertThat(gated.dropIn.getHotRows()).containsEntry("account(1)", 1L);

        endWith(second);
    }

    @Test
    void modeAndTablesChangeWhileRunning() throws Exception {
        gated.dropIn.set("mode", "off");
        Session session = session("session");
        session.execute("update account set balance = 1 where id = 2");
        session.commit();
        long before = gated.figure("account", "recognised");
        gated.dropIn.set("mode", "queue");
        session.execute("update account set balance = 1 where id = 2");
        session.commit();
        assertThat(gated.figure("account", "recognised")).isEqualTo(before + 1);

        gated.dropIn.set("exclude", "Account");
        session.execute("update account set balance = 1 where id = 2");
        assertThat(gated.figure("account", "passed.EXCLUDED")).isOne();
        session.commit();
        holder.commit();
    }

    /** To the server the session does nothing, and would be ended for it. */
    @ParameterizedTest
    @ValueSource(strings = {"idle_in_transaction_session_timeout", "idle_session_timeout", "transaction_timeout"})
    void timeoutsOfAnIdleSessionEndTheWaitInTheJvm(String setting) throws Exception {
        assumeTrue(!setting.equals("transaction_timeout") || database.isAtLeast(17), setting);
        startInFront();
        Session waiter = session("waiter");
        waiter.execute("set " + setting + " = '10s'");
        waiter.commit();
        if (setting.contains("transaction")) {
            waiter.execute("select 1");
        }
        Step<Boolean> wait = waiter.startExecute(LOCK);
        wait.awaitBlockedBy(holder, inFront);

        endWith(wait);
    }

    /** The second does nothing, as JDBC has it: the connection of the pool may be another's by then. */
    @Test
    void aSecondCloseTouchesNothing() throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            pool.setMaximumPoolSize(1);
            pool.setAutoCommit(false);
            GatedDatabase behind = GatedDatabase.oneAtATime(pool);
            Connection first = behind.dataSource.getConnection();
            // Its table is to be looked up as soon as there is no transaction.
            update(first);
            first.close();
            try (Connection second = behind.dataSource.getConnection()) {
                first.close();
                update(second);
            }
            assertThat(behind.figure("note", "passed.TABLE_UNKNOWN")).isEqualTo(2);
        }
    }

    private static void update(Connection connection) throws SQLException {
        TestDatabase.execute(connection, "update note set account = 1 where id = 1");
    }

    /** What is made for one use, with its values in it. */
    @Test
    void longTextsAreNotKept() {
        String kept = "update note set account = 1 where id = 1 --";
        assertThat(gated.dropIn.plan(kept)).isSameAs(gated.dropIn.plan(kept));
        String made = kept + "x".repeat(1 << 14);
        assertThat(gated.dropIn.plan(made)).isNotSameAs(gated.dropIn.plan(made));
    }

    @Test
    void aValueWithoutATextIsNoKey() throws Exception {
        try (Connection connection = gated.dataSource.getConnection();
                PreparedStatement update = connection.prepareStatement("update note set account = 1 where id = ?")) {
            PGobject id = new PGobject();
            id.setType("int4");
            update.setObject(1, id);
            assertThat(update.executeUpdate()).isZero();
        }
    }

    /** With this setting of the driver autocommit says whether the session may write. */
    @Test
    void aReadOnlySessionStaysSo() throws Exception {
        PGSimpleDataSource readOnly = database.dataSourceWith("-c default_transaction_read_only=on");
        readOnly.setReadOnlyMode("always");
        GatedDatabase behind = GatedDatabase.oneAtATime(readOnly);
        try (Connection connection = TestDatabase.begin(behind.dataSource)) {
            connection.setReadOnly(true);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> update(connection)).hasFieldOrPropertyWithValue("SQLState", "25006");
                connection.rollback();
                connection.setReadOnly(false);
            }
        }
    }
}
