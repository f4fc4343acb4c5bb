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
import org.postgresql.jdbc.PgConnection;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.Held;
import org.rowlock.testing.Locks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Who waits for a row without us: the server says how many, and who has a mark is none of them. */
class PlainWaitersTest {
    private static final LockKey ROW = LockKey.row("account", 1);
    private static final LockKey OTHER = LockKey.row("account", 2);
    private static final String PLAIN = "select * from account where id = 1 for update";
    private static final String ADVISORY =
            "select string_agg(mode, ', ') from pg_locks where locktype = 'advisory' and granted and pid = ";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null default 0)",
            "insert into account values (1), (2), (3)",
            "create table part(id int primary key) partition by range (id)",
            "create table \"Part 1\" partition of part for values from (0) to (10)",
            "create table part_2 partition of part for values from (10) to (20)",
            "insert into part values (1), (11)");

    private final Map<Session, Step<?>> waiting = new LinkedHashMap<>();

    /** Asks before each lock, and opens the row for two. */
    private static final class Asking implements QueuePolicy {
        final AtomicInteger answer = new AtomicInteger(-1);

        @Override
        public int width(boolean kept, int waiting) {
            return 100;
        }

        @Override
        public long frontNanos(boolean always) {
            return Duration.ofHours(1).toNanos();
        }

        @Override
        public boolean asks(boolean contended) {
            return true;
        }

        @Override
        public void answered(int waiting, int own) {
            answer.set(waiting);
        }

        @Override
        public boolean isOpen() {
            return answer.get() >= 2;
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
            each.getKey().cancel();
            assertThat(each.getValue().failure()).isNotNull();
            each.getKey().rollback();
        }
    }

    private static int asked(Session session) throws Exception {
        return asked(session, "account");
    }

    private static int asked(Session session, String table) throws Exception {
        return session.run(connection -> {
            return Integer.parseInt(PgSession.of(connection).ask(FrontSql.PLAIN_WAITERS, table));
        });
    }

    private static long key(Connection connection, String id) throws Exception {
        String path = connection.unwrap(PgConnection.class).getParameterStatus("search_path");
        return FrontSql.key(path, "account", List.of(id));
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
        endWaits();
        assertThat(asked(asking)).isZero();
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

    /** The mark is one for all rows, so rows do not keep each other open; in front of each row one alone waits. */
    @Test
    void whoHasAMarkIsNotCounted(Session asking, Session holder, Session marked, Session fronted) throws Exception {
        Session first = queueOf(holder, 2);
        waiting.put(marked, start(marked, new Asking(), ROW).awaitBlockedBy(first));
        assertThat(database.query(ADVISORY + marked.pid())).isEqualTo("ShareLock");
        assertThat(asked(asking)).isEqualTo(2);
        waiting.put(
                fronted,
                start(fronted, new FixedWidth(100, Duration.ofHours(1).toNanos()), ROW)
                        .awaitBlockedBy(first));
        assertThat(database.query(ADVISORY + fronted.pid())).isEqualTo("ExclusiveLock");
        assertThat(asked(asking)).isEqualTo(3);
        endWaits();
    }

    /** They are counted before the lock, and the transaction of the lock has not begun by that. */
    @Test
    void aLockHasAMarkWhereManyWaitWithoutUs(Session holder, Session one, Session other, Session keyed)
            throws Exception {
        keyed.run(connection ->
                TestDatabase.query(connection, "select pg_advisory_xact_lock(" + key(connection, "2") + ")"));
        queueOf(holder, 2);
        Asking policy = new Asking();
        assertThat(start(one, policy, OTHER).get()).isEqualTo(Held.ROW_LOCKED);
        assertThat(policy.answer).hasValue(2);
        Step<Held> step = start(other, policy, OTHER).awaitBlockedBy(one);
        // Neither waits for the other's mark, or for the key in front, which a third session has.
        assertThat(database.query(ADVISORY + one.pid())).isEqualTo("ShareLock");
        assertThat(database.query(ADVISORY + other.pid())).isEqualTo("ShareLock");
        one.commit();
        assertThat(step.get()).isEqualTo(Held.ROW_LOCKED);
        endWaits();
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void whereThereIsNoMarkThereIsNoNumber(int isolation, Session holder, Session one) throws Exception {
        queueOf(holder, 2);
        one.connection().setTransactionIsolation(isolation);
        Asking policy = new Asking();
        assertThat(start(one, policy, OTHER).get()).isEqualTo(Held.ROW_LOCKED);
        assertThat(policy.answer).hasValue(0);
        assertThat(one.advisoryLocks()).isZero();
        one.rollback();
        endWaits();
    }
}
