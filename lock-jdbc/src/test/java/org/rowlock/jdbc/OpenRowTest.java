package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
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
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** A row for which many wait without Rowlock: who locks it has a mark, and waits among them. */
class OpenRowTest {
    private static final String LOCK = "select * from account where id = 1 for update";
    private static final String WRITE = "update account set balance = balance + 1 where id = 1";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    /** Asks before each statement, and opens the row for two. */
    private static final class Asking implements QueuePolicy {
        final AtomicInteger answer = new AtomicInteger(-1);
        int openAt = 2;
        Runnable whenAnswered = () -> {};

        @Override
        public int width(boolean kept, int waiting) {
            return 100;
        }

        @Override
        public long frontNanos(boolean always) {
            return GatedDatabase.NEVER_OVER;
        }

        @Override
        public boolean asks(boolean contended) {
            return true;
        }

        @Override
        public void answered(int waiting, int own) {
            answer.set(waiting);
            whenAnswered.run();
        }

        @Override
        public boolean isOpen() {
            return answer.get() >= openAt;
        }
    }

    private GatedDatabase gated(QueuePolicy policy) throws SQLException {
        GatedDatabase gated = new GatedDatabase(
                database.dataSource(),
                DropInMode.QUEUE,
                new KeyQueues(() -> policy, Duration.ofHours(1).toNanos()));
        gated.learn("account");
        return gated;
    }

    private static int write(Connection connection, boolean prepared) throws SQLException {
        if (!prepared) {
            return Waiters.update(connection, WRITE);
        }
        try (PreparedStatement update = connection.prepareStatement(WRITE.replace("id = 1", "id = ?"))) {
            update.setInt(1, 1);
            return update.executeUpdate();
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aStatementWaitsAmongTheOthersWithAMark(boolean prepared, boolean autocommit) throws Exception {
        Asking policy = new Asking();
        policy.openAt = 0;
        GatedDatabase gated = gated(policy);
        Session holder = database.session("holder");
        Session plain = database.session("plain");
        Session marked = database.session("marked", gated.dataSource).prepared();
        holder.execute(LOCK);
        Step<Boolean> first = plain.startExecute(LOCK).awaitBlockedBy(holder);
        Step<Integer> step = marked.start(connection -> {
                    connection.setAutoCommit(autocommit);
                    return write(connection, prepared);
                })
                .awaitBlockedBy(plain);
        assertThat(database.query(
                        "select mode from pg_locks where locktype = 'advisory' and granted and pid = " + marked.pid()))
                .isEqualTo("ShareLock");
        holder.commit();
        first.get();
        plain.commit();
        assertThat(step.get()).isOne();
        marked.run(connection -> {
            connection.setAutoCommit(true);
            return connection;
        });
        assertThat(marked.advisoryLocks()).isZero();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("1");
        assertThat(gated.figure("account", "fronted")).isZero();
        assertThat(gated.figure("account", "frontGivenUp")).isZero();
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
            assertThat(database.query("select mode from pg_locks where locktype = 'advisory' and granted and pid = "
                            + asking.pid()))
                    .isEqualTo(i < 2 ? "ExclusiveLock" : "ShareLock");
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

    /** It gets no mark, so that the others of this application would keep the row open for each other. */
    @Test
    void aStatementWithAFetchSizeDoesNotAsk() throws Exception {
        Asking policy = new Asking();
        Session fetching =
                database.session("fetching", gated(policy).dataSource).prepared();
        fetching.run(connection -> {
            try (PreparedStatement lock =
                    connection.prepareStatement("select * from account where id = ? for update")) {
                lock.setInt(1, 1);
                lock.setFetchSize(10);
                return lock.execute();
            }
        });
        assertThat(policy.answer).hasValue(-1);
        assertThat(fetching.advisoryLocks()).isZero();
    }

    /** Statements that have begun with a read have no mark, so nothing is asked for them. */
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
