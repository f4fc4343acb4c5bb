package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.WaiterSql;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.Held;
import org.rowlock.testing.Locks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** The server counts who waits for a row without Rowlock, whose statements do not contain its name. */
class PlainWaitersTest {
    private static final LockKey ROW = LockKey.row("account", 1);
    private static final LockKey OTHER = LockKey.row("account", 2);
    private static final String PLAIN = "select * from account where id = 1 for update";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null default 0)",
            "insert into account values (1), (2), (3)",
            "create table part(id int primary key) partition by range (id)",
            "create table \"Part 1\" partition of part for values from (0) to (10)",
            "create table part_2 partition of part for values from (10) to (20)",
            "insert into part values (1), (11)");

    private final Map<Session, Step<?>> waiting = new LinkedHashMap<>();

    /** Asks before each lock. */
    private static final class Asking extends FixedWidth {
        final AtomicInteger answer = new AtomicInteger(-1);

        Asking() {
            super(100, 0);
        }

        @Override
        public Question asks(int wanting, boolean grouped) {
            return Question.WITHOUT_ROWLOCK;
        }

        @Override
        public void answered(Question question, int counted) {
            answer.set(counted);
        }
    }

    private static LockCalls calls(QueuePolicy policy) {
        return Locks.calls(LockStrategy.ROW, new KeyQueues(() -> policy));
    }

    private static Step<Held> start(Session session, QueuePolicy policy, LockKey key) {
        LockCalls calls = calls(policy);
        return session.start(connection -> Held.of(new TransactionLocks(connection, calls).lock(forUpdate(key))));
    }

    private Session waits(String name, String sql, Session... behind) throws Exception {
        Session session = database.session(name);
        waiting.put(session, session.startExecute(sql).awaitBlockedBy(behind));
        return session;
    }

    /** The first waits for the holder itself, and the others for the first. */
    private Session queueOf(Session holder, int others) throws Exception {
        holder.execute(PLAIN);
        Session first = waits("first", PLAIN, holder);
        for (int i = 0; i < others; i++) {
            waits("other " + i, PLAIN, first);
        }
        return first;
    }

    private void endWaits() throws Exception {
        for (Map.Entry<Session, Step<?>> each : waiting.entrySet()) {
            // A cancel that comes between two statements is lost.
            TestDatabase.await().until(() -> {
                each.getKey().cancel();
                return each.getValue().isDone();
            });
            assertThat(each.getValue().failure()).isNotNull();
            each.getKey().rollback();
        }
    }

    private static int asked(Session session) throws Exception {
        return asked(session, "account");
    }

    private static int asked(Session session, String table) throws Exception {
        return answer(session, WaiterSql.WITHOUT_ROWLOCK, table);
    }

    private static int all(Session session, String table) throws Exception {
        return answer(session, WaiterSql.WAITERS, table);
    }

    private static int answer(Session session, String sql, String table) throws Exception {
        // The server shows the same statements until the transaction ends.
        session.rollback();
        return session.run(connection -> {
            return Integer.parseInt(PgSession.of(connection).ask(sql, table));
        });
    }

    @Test
    void theServerCountsThoseWhoQueueForTheHottestRow(Session asking, Session holder, Session colder) throws Exception {
        assertThat(asked(asking)).isZero();
        Session first = queueOf(holder, 2);
        assertThat(asked(asking)).isEqualTo(2);
        waits("update", "update account set balance = 1 where id = 1", first);
        assertThat(asked(asking)).isEqualTo(3);
        waits("shared", "select * from account where id = 1 for share", first);
        assertThat(asked(asking)).isEqualTo(3);
        colder.execute("select * from account where id = 3 for update");
        Session next = waits("next", PLAIN.replace("1", "3"), colder);
        waits("last", PLAIN.replace("1", "3"), next);
        assertThat(asked(asking)).isEqualTo(3);
        assertThat(all(asking, "account")).as("with the shared lock").isEqualTo(7);
        assertThat(all(asking, "part")).isZero();
        endWaits();
        assertThat(asked(asking)).isZero();
        assertThat(all(asking, "account")).isZero();
    }

    /** A row of a partitioned table is locked in its partition, and two partitions may have a row at one place. */
    @Test
    void whoWaitsInAPartitionIsCountedByEitherName(Session asking, Session one, Session two) throws Exception {
        one.execute("select * from part where id = 1 for update");
        two.execute("select * from part where id = 11 for update");
        Session first = waits("first", "select * from part where id = 1 for update", one);
        waits("second", "select * from part where id = 1 for update", first);
        waits("third", "select * from \"Part 1\" where id = 1 for update", first);
        Session other = waits("other", "select * from part where id = 11 for update", two);
        waits("last", "select * from part where id = 11 for update", other);
        for (String table : List.of("part", "\"Part 1\"", "part_2")) {
            assertThat(asked(asking, table)).as(table).isEqualTo(2);
        }
        assertThat(asked(asking)).isZero();
        assertThat(asked(asking, "absent")).isZero();
        endWaits();
    }

    /** A lock with a front lock waits alone in front of its row; the others wait at the row, and may be many. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLockOfRowlockIsNotCounted(boolean inFront, Session asking, Session holder, Session ours, Session behind)
            throws Exception {
        Session first = queueOf(holder, 2);
        QueuePolicy policy = new FixedWidth(100, inFront ? Duration.ofHours(1).toNanos() : 0);
        waiting.put(ours, start(ours, policy, ROW).awaitBlockedBy(first));
        assertThat(ours.advisoryLocks()).isEqualTo(inFront ? 1 : 0);
        assertThat(asked(asking)).isEqualTo(2);
        assertThat(all(asking, "account")).isEqualTo(4);
        if (inFront) {
            waiting.put(behind, start(behind, policy, ROW).awaitBlockedBy(ours));
            assertThat(all(asking, "account"))
                    .as("with a session that waits for the front lock")
                    .isEqualTo(5);
        }
        endWaits();
    }

    /** The text that the server shows may have lost the name, or is not recorded at all. */
    @Test
    void aStatementThatTheServerShowsInPartIsNotCounted(Session asking, Session holder, Session silent)
            throws Exception {
        Session first = queueOf(holder, 1);
        int size =
                Integer.parseInt(database.query("select pg_size_bytes(current_setting('track_activity_query_size'))"));
        String shown = PLAIN + "/*" + "x".repeat(size - PLAIN.length() - 9) + "*/";
        waits("shown", shown, first);
        assertThat(asked(asking)).isEqualTo(2);
        waits("cut", shown + "/*\u20ac\u20ac\u20ac*/", first);
        silent.execute("set track_activities = off");
        waiting.put(silent, silent.startExecute(PLAIN).awaitBlockedBy(first));
        assertThat(asked(asking)).isEqualTo(2);
        endWaits();
    }

    /** They are counted before the lock, and the transaction of the lock has not begun by that. */
    @Test
    void whoWaitsIsCountedBeforeTheLock(Session holder, Session one) throws Exception {
        queueOf(holder, 2);
        Asking policy = new Asking();
        assertThat(start(one, policy, OTHER).get()).isEqualTo(Held.ROW_LOCKED);
        assertThat(policy.answer).hasValue(2);
        endWaits();
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void theyAreCountedWhereThereIsNoFrontLock(int isolation, Session holder, Session one) throws Exception {
        queueOf(holder, 2);
        one.connection().setTransactionIsolation(isolation);
        Asking policy = new Asking();
        assertThat(start(one, policy, OTHER).get()).isEqualTo(Held.ROW_LOCKED);
        assertThat(policy.answer).hasValue(2);
        assertThat(one.advisoryLocks()).isZero();
        one.rollback();
        endWaits();
    }
}
