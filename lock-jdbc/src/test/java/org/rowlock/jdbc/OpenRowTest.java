package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.WaiterSql;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** A row for which clients without Rowlock wait: Rowlock counts them, and is not counted by others. */
class OpenRowTest {
    private static final String LOCK = "select * from account where id = 1 for update";
    private static final String WRITE = "update account set balance = balance + 1 where id = 1";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    /** Asks before each statement, and has no front lock if two or more clients wait. */
    private static final class Asking implements QueuePolicy {
        final AtomicInteger answer = new AtomicInteger(-1);
        Runnable whenAnswered = () -> {};

        @Override
        public int width(boolean kept, int waiting) {
            return 100;
        }

        @Override
        public long frontNanos(boolean always) {
            return answer.get() >= 2 ? 0 : GatedDatabase.NEVER_OVER;
        }

        @Override
        public Question asks(int wanting, boolean grouped) {
            return Question.WITHOUT_ROWLOCK;
        }

        @Override
        public void answered(Question question, int plain) {
            answer.set(plain);
            whenAnswered.run();
        }
    }

    private enum Form {
        LITERAL,
        PARAMETER,
        TYPED,
        SEMICOLON,
        UNPREPARED
    }

    private GatedDatabase gated(QueuePolicy policy) throws SQLException {
        return gated(policy, DropInMode.QUEUE);
    }

    private GatedDatabase gated(QueuePolicy policy, DropInMode mode) throws SQLException {
        GatedDatabase gated = new GatedDatabase(
                database.dataSource(),
                mode,
                new KeyQueues(() -> policy, Duration.ofHours(1).toNanos()));
        gated.learn("account");
        return gated;
    }

    private static int write(Connection connection, Form form) throws SQLException {
        if (form == Form.UNPREPARED) {
            try (Statement update = connection.createStatement()) {
                return update.executeUpdate(WRITE);
            }
        }
        String sql = form == Form.SEMICOLON ? WRITE + ';' : WRITE;
        try (PreparedStatement update = form == Form.TYPED
                ? connection.prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)
                : connection.prepareStatement(form == Form.PARAMETER ? sql.replace("id = 1", "id = ?") : sql)) {
            if (form == Form.PARAMETER) {
                update.setInt(1, 1);
            }
            return update.executeUpdate();
        }
    }

    /** The server shows the statement of the application, with the name of Rowlock behind it. */
    @ParameterizedTest
    @CsvSource({
        "QUEUE, LITERAL, 0",
        "QUEUE, PARAMETER, 0",
        "QUEUE, TYPED, 0",
        "QUEUE, SEMICOLON, 0",
        "QUEUE, UNPREPARED, 0",
        "OBSERVE, PARAMETER, 1"
    })
    void aStatementThatWaitsAtTheServerIsNotCounted(DropInMode mode, Form form, int counted) throws Exception {
        Asking policy = new Asking();
        policy.answer.set(2);
        Session holder = database.session("holder");
        Session plain = database.session("plain");
        Session ours = database.session("ours", gated(policy, mode).dataSource).prepared();
        Session asking = database.session("asking");
        holder.execute(LOCK);
        Step<Boolean> first = plain.startExecute(LOCK).awaitBlockedBy(holder);
        Step<Integer> step = ours.start(connection -> write(connection, form)).awaitBlockedBy(plain);
        assertThat(asking.<Integer>run(connection ->
                        Integer.parseInt(PgSession.of(connection).ask(WaiterSql.WITHOUT_ROWLOCK, "account"))))
                .isEqualTo(counted);
        asking.rollback();
        holder.commit();
        first.get();
        plain.commit();
        assertThat(step.get()).isOne();
        ours.commit();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("1");
    }

    /** The question is no part of the transaction of the program, and the answer is that of the moment. */
    @Test
    void theOthersAreCountedBeforeTheStatement() throws Exception {
        Asking policy = new Asking();
        GatedDatabase gated = gated(policy);
        Session holder = database.session("holder");
        Session asking = database.session("asking", gated.dataSource).prepared();
        holder.execute(LOCK);
        List<Session> waiting = new ArrayList<>();
        List<Step<?>> steps = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Session session = database.session("plain " + i);
            steps.add(session.startExecute(LOCK).awaitBlockedBy(i == 0 ? holder : waiting.get(0)));
            waiting.add(session);
            asking.execute("update account set balance = 7 where id = 2");
            assertThat(policy.answer).hasValue(i);
            assertThat(asking.advisoryLocks()).isEqualTo(i < 2 ? 1 : 0);
            asking.rollback();
        }
        for (int i = 0; i < 3; i++) {
            waiting.get(i).cancel();
            assertThat(steps.get(i).state()).isEqualTo("57014");
        }
        asking.execute("update account set balance = 7 where id = 2");
        assertThat(policy.answer).hasValue(0);
        asking.commit();
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("7");
    }

    /** The driver knows of no running statement at that time, and would drop the cancel. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCancelDuringTheQuestionEndsTheStatement(boolean autocommit) throws Exception {
        Asking policy = new Asking();
        Session asking = database.session("asking", gated(policy).dataSource).prepared();
        Step<Integer> step = asking.start(connection -> {
            connection.setAutoCommit(autocommit);
            try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
                policy.whenAnswered = () -> {
                    try {
                        statement.cancel();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                };
                return statement.executeUpdate();
            }
        });
        assertThat(step.state()).isEqualTo("57014");
        policy.whenAnswered = () -> {};
        asking.run(connection -> {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return connection;
        });
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("0");
    }

    /** Hibernate's statements have a result set type, and a canary with Hibernate must not starve. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStatementThatCanHaveNoFrontLockAsksToo(boolean typed) throws Exception {
        Asking policy = new Asking();
        Session asking = database.session("asking", gated(policy).dataSource).prepared();
        String sql = "select * from account where id = ? for update";
        asking.run(connection -> {
            try (PreparedStatement lock = typed
                    ? connection.prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)
                    : connection.prepareStatement(sql)) {
                lock.setInt(1, 1);
                lock.setFetchSize(typed ? 0 : 10);
                return lock.execute();
            }
        });
        assertThat(policy.answer).hasValue(0);
        assertThat(asking.advisoryLocks()).isZero();
    }

    /** The question would be part of a transaction that has begun with a read. */
    @Test
    void afterAReadNothingIsAsked() throws Exception {
        Asking policy = new Asking();
        Session reading = database.session("reading", gated(policy).dataSource).prepared();
        reading.execute("select 1");
        reading.execute(WRITE);
        assertThat(policy.answer).hasValue(-1);
        assertThat(reading.advisoryLocks()).isZero();
    }
}
