package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.testing.TestDatabase.execute;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.Locks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/**
 * Random programs of writes, inserts of children and locks deadlock with strategy ROW only where the same programs with
 * a FOR UPDATE by hand do: the server runs both, and whoever may wait in the JVM does. The other strategies do deadlock
 * where a transaction writes before it locks, see {@link WriteBeforeLockTest}; where every transaction locks first, no
 * strategy does where plain ones do not.
 */
class DeadlockPropertiesTest {
    private static final int SESSIONS = 3;
    private static final int ROWS = 2;

    /**
     * How often a program runs by hand in its own order, and again in orders in which a lock overtakes another step. Of
     * hundreds of programs that deadlocked with the library, nearly all did so in the first run by hand.
     */
    private static final int PLAIN_RUNS = 50;

    /** Of the wait in the JVM. */
    private static final long LONGEST_WAIT = Duration.ofMillis(20).toNanos();

    private enum Kind {
        LOCK,
        SHARE,
        WRITE,
        INSERT_CHILD
    }

    /** One step of one session. */
    private record Op(int session, Kind kind, int row) {}

    /** A program: its steps in the order in which they are started, as far as their session is not waiting. */
    private record Program(List<Op> ops) {}

    /** Locks a row in a mode. */
    private interface Locking {
        void lock(Connection connection, int row, RowLockMode mode) throws SQLException;
    }

    private static TestDatabase database;
    private static final List<Session> SESSIONS_OPEN = new ArrayList<>();
    private static Connection observer;

    @BeforeContainer
    static void open() throws Exception {
        database = TestDatabase.accounts(ROWS, "create table entry(account int references account)");
        database.beforeEach(null);
        observer = database.dataSource().getConnection();
        for (int i = 0; i < SESSIONS; i++) {
            Session session = database.session("s" + i);
            session.execute("set deadlock_timeout = '50ms'");
            session.commit();
            SESSIONS_OPEN.add(session);
        }
    }

    @AfterContainer
    static void close() throws Exception {
        observer.close();
        database.afterEach(null);
        SESSIONS_OPEN.clear();
    }

    @Provide
    Arbitrary<Program> programs() {
        return ops().list().ofMinSize(4).ofMaxSize(8).map(Program::new);
    }

    /** Every session locks what it writes or inserts a child of, in front of everything else. */
    @Provide
    Arbitrary<Program> lockFirstPrograms() {
        return ops().list().ofMinSize(4).ofMaxSize(8).map(ops -> {
            List<Op> locked = new ArrayList<>();
            Set<String> seen = new HashSet<>();
            for (Op op : ops) {
                if (op.kind() != Kind.LOCK && op.kind() != Kind.SHARE && seen.add(op.session() + "/" + op.row())) {
                    locked.add(new Op(op.session(), Kind.LOCK, op.row()));
                }
                seen.add(op.session() + "/" + op.row());
                locked.add(op.kind() == Kind.SHARE ? new Op(op.session(), Kind.LOCK, op.row()) : op);
            }
            return new Program(locked);
        });
    }

    private static Arbitrary<Op> ops() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, SESSIONS - 1),
                        Arbitraries.of(Kind.values()),
                        Arbitraries.integers().between(1, ROWS))
                .as(Op::new);
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void rowDeadlocksOnlyWherePlainRowLocksDo(@ForAll("programs") Program program) throws Exception {
        assertNoMoreDeadlocks(program, LockStrategy.ROW);
    }

    /** Also while some have the key in front and others do not, as different JVMs and moments decide. */
    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void soItIsWithAKeyInFrontOfSomeLocks(@ForAll("programs") Program program, @ForAll long seed) throws Exception {
        Random random = new Random(seed);
        QueuePolicy sometimes = new FixedWidth(SESSIONS, 0) {
            @Override
            public long frontNanos(boolean always) {
                return random.nextInt(3) > 0 ? Duration.ofHours(1).toNanos() : 0;
            }

            @Override
            public @Nullable Question asks(int wanting, boolean grouped) {
                return random.nextInt(4) == 0 ? Question.values()[random.nextInt(2)] : null;
            }
        };
        assertNoMoreDeadlocks(program, LockStrategy.ROW, new KeyQueues(() -> sometimes, LONGEST_WAIT));
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void noStrategyDeadlocksMoreWhereTransactionsLockFirst(
            @ForAll("lockFirstPrograms") Program program, @ForAll LockStrategy strategy) throws Exception {
        assertNoMoreDeadlocks(program, strategy);
    }

    private static void assertNoMoreDeadlocks(Program program, LockStrategy strategy) throws Exception {
        // One at a time at the server, so that all others have to wait in the JVM, for as long as they may.
        assertNoMoreDeadlocks(program, strategy, FixedWidth.queues(1, LONGEST_WAIT));
    }

    private static void assertNoMoreDeadlocks(Program program, LockStrategy strategy, KeyQueues queues)
            throws Exception {
        LockCalls calls = Locks.calls(strategy, queues);
        int deadlocks = run(
                program,
                (connection, row, mode) -> new TransactionLocks(connection, calls)
                        .lock(LockRequest.of(mode, List.of(LockKey.row("account", row)))));
        if (deadlocks == 0) {
            return;
        }
        // A commit wakes several sessions, which then race. A session that waited for the front lock may lock the row
        // before a session that waited at the row, as if it had arrived earlier.
        Random random = new Random(program.toString().hashCode());
        int plain = 0;
        for (int i = 0; i < 2 * PLAIN_RUNS && plain == 0; i++) {
            Program order = i < PLAIN_RUNS ? program : overtaken(program, random);
            plain = run(order, (connection, row, mode) -> {
                String clause = mode == RowLockMode.FOR_UPDATE ? "for update" : "for share";
                execute(connection, "select 1 from account where id = " + row + ' ' + clause);
            });
        }
        assertThat(plain)
                .as("deadlocks with FOR UPDATE by hand, of %s", program)
                .isPositive();
    }

    /** Moves a lock before an earlier step of another session for the same row, or returns the same order. */
    private static Program overtaken(Program program, Random random) {
        List<Op> ops = new ArrayList<>(program.ops());
        int moved = random.nextInt(ops.size());
        Op lock = ops.get(moved);
        int first = random.nextInt(moved + 1);
        Op overtaken = ops.get(first);
        if ((lock.kind() == Kind.LOCK || lock.kind() == Kind.SHARE)
                && lock.row() == overtaken.row()
                && ops.subList(first, moved).stream().noneMatch(op -> op.session() == lock.session())) {
            ops.remove(moved);
            ops.add(first, lock);
        }
        return new Program(ops);
    }

    /** Runs a program to its end and tells how many of its transactions the server ended to break a deadlock. */
    private static int run(Program program, Locking locking) throws Exception {
        List<Deque<Op>> waiting = new ArrayList<>();
        List<Step<?>> current = new ArrayList<>();
        Set<Integer> ended = new HashSet<>();
        for (int i = 0; i < SESSIONS; i++) {
            waiting.add(new ArrayDeque<>());
            current.add(null);
        }
        int deadlocks = 0;
        for (Op op : program.ops()) {
            waiting.get(op.session()).add(op);
            deadlocks += goOn(waiting, current, ended, locking);
        }
        // Those that are not waiting commit, which lets the others go on.
        while (ended.size() < SESSIONS) {
            for (int i = 0; i < SESSIONS; i++) {
                if (!ended.contains(i)
                        && current.get(i) == null
                        && waiting.get(i).isEmpty()) {
                    SESSIONS_OPEN.get(i).commit();
                    ended.add(i);
                }
            }
            deadlocks += goOn(waiting, current, ended, locking);
        }
        return deadlocks;
    }

    /** Starts whatever can be started, until every session has nothing to do or waits for another. */
    private static int goOn(List<Deque<Op>> waiting, List<Step<?>> current, Set<Integer> ended, Locking locking)
            throws Exception {
        int deadlocks = 0;
        boolean again = true;
        while (again) {
            again = false;
            for (int i = 0; i < SESSIONS; i++) {
                if (current.get(i) == null
                        && !ended.contains(i)
                        && !waiting.get(i).isEmpty()) {
                    Op op = waiting.get(i).poll();
                    current.set(i, SESSIONS_OPEN.get(i).startAction(connection -> step(connection, op, locking)));
                    again = true;
                }
            }
            for (int i = 0; i < SESSIONS; i++) {
                Step<?> step = current.get(i);
                if (step == null || !settles(i, step)) {
                    continue;
                }
                current.set(i, null);
                again = true;
                if (isDeadlock(step)) {
                    deadlocks++;
                    SESSIONS_OPEN.get(i).rollback();
                    waiting.get(i).clear();
                    ended.add(i);
                }
            }
        }
        return deadlocks;
    }

    /**
     * Waits until a step has ended, which is true, or waits for a lock; who waits in the JVM does so for a while only.
     */
    private static boolean settles(int session, Step<?> step) {
        TestDatabase.await()
                .until(() ->
                        step.isDone() || isBlocked(SESSIONS_OPEN.get(session).pid()));
        return step.isDone();
    }

    private static boolean isBlocked(int pid) throws SQLException {
        return TestDatabase.query(observer, "select cardinality(pg_blocking_pids(" + pid + ")) > 0")
                .equals("t");
    }

    private static boolean isDeadlock(Step<?> step) throws Exception {
        try {
            step.get();
            return false;
        } catch (LockDeadlockException e) {
            return true;
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("40P01");
            return true;
        }
    }

    private static void step(Connection connection, Op op, Locking locking) throws SQLException {
        switch (op.kind()) {
            case LOCK -> locking.lock(connection, op.row(), RowLockMode.FOR_UPDATE);
            case SHARE -> locking.lock(connection, op.row(), RowLockMode.FOR_SHARE);
            case WRITE -> execute(connection, "update account set balance = balance + 1 where id = " + op.row());
            case INSERT_CHILD -> execute(connection, "insert into entry values (" + op.row() + ")");
        }
    }
}
