package org.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.util.Throwables;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A test that runs many small transactions (members) under faults: interrupts, cancelled statements, killed server
 * processes and closed connections. Each member stores its number in a ledger. An acknowledged number must be stored
 * exactly once, and a failed number must not be stored. If the outcome is unknown, the number may be stored once or not
 * at all.
 */
public abstract class LedgerStorm {
    public enum Told {
        NOTHING,
        STORED,
        FAILED,
        UNKNOWN
    }

    public final long seed = System.nanoTime();

    private final PGSimpleDataSource database;
    private final int members;
    private final int evils;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicIntegerArray outcomes;
    private final AtomicReferenceArray<Thread> threads;
    private final Map<Integer, Throwable> failures = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private int killed;

    /**
     * Creates a storm.
     *
     * @param evils how many members start between two faults
     */
    protected LedgerStorm(PGSimpleDataSource database, int threads, int members, int evils) {
        this.database = database;
        this.members = members;
        this.evils = evils;
        this.outcomes = new AtomicIntegerArray(members);
        this.threads = new AtomicReferenceArray<>(threads);
    }

    protected abstract Told pay(int id, Random random) throws Exception;

    public final String applicationName() {
        return database.getApplicationName() + "_storm";
    }

    public final int killed() {
        return killed;
    }

    /** Records a wrong result of a member, which fails the test. */
    protected final void wrong(int id, String what) {
        wrong.add(id + ": " + what);
    }

    /** Records why a member failed, for the message of a failing check. */
    protected final void failed(int id, Throwable why) {
        failures.put(id, why);
    }

    /**
     * Runs all members.
     *
     * @param proxy the proxy between the members and the server
     */
    public final void blow(TcpProxy proxy, Random random) throws Exception {
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads.length(); i++) {
            int place = i;
            long own = random.nextLong();
            Thread worker = new Thread(() -> work(place, new Random(own)));
            worker.setDaemon(true);
            threads.set(i, worker);
            workers.add(worker);
        }
        workers.forEach(Thread::start);
        disturb(proxy, random);
        for (Thread each : workers) {
            each.join(TestDatabase.DEADLINE.toMillis());
            assertThat(each.isAlive()).as("a caller that never came back").isFalse();
        }
    }

    private void work(int place, Random random) {
        for (int id = next.getAndIncrement(); id < members; id = next.getAndIncrement()) {
            Told outcome;
            try {
                outcome = pay(id, random);
            } catch (Throwable e) {
                wrong(id, Throwables.getStackTrace(e));
                outcome = Told.UNKNOWN;
            }
            // An interrupt that arrived late must not affect the next member.
            boolean unused = Thread.interrupted();
            outcomes.set(id, outcome.ordinal());
        }
        threads.set(place, null);
    }

    /** Injects a random fault each time that {@code evils} further members have started. */
    private void disturb(TcpProxy proxy, Random random) throws SQLException {
        int evil = 0;
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            while (next.get() < members) {
                LockSupport.parkNanos(1_000_000);
                int done = next.get();
                if (done <= evil * evils) {
                    continue;
                }
                evil = done / evils + 1;
                switch (random.nextInt(9)) {
                    case 0 -> proxy.cutAll();
                    case 1 -> proxy.cutBefore("ledger");
                    case 2 -> proxy.cutAfter("COMMIT");
                    case 3, 4 -> end(statement, "pg_cancel_backend", random);
                    case 5, 6 -> killed += end(statement, "pg_terminate_backend", random);
                    default -> {
                        Thread thread = threads.get(random.nextInt(threads.length()));
                        if (thread != null) {
                            thread.interrupt();
                        }
                    }
                }
            }
        }
    }

    private int end(Statement statement, String how, Random random) throws SQLException {
        try (ResultSet row = statement.executeQuery("select " + how + "(pid) from (select pid from pg_stat_activity"
                + " where application_name = '" + applicationName() + "' and state <> 'idle'"
                + " offset " + random.nextInt(3) + " limit 1) as p")) {
            return row.next() && row.getBoolean(1) ? 1 : 0;
        }
    }

    /**
     * Compares the outcome of each member with the stored numbers.
     *
     * @param ledger a query for the stored numbers
     */
    public final void check(String ledger) throws SQLException {
        int[] stored = new int[members];
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(ledger)) {
            while (rows.next()) {
                stored[rows.getInt(1)]++;
            }
        }
        for (int id = 0; id < members; id++) {
            Told outcome = Told.values()[outcomes.get(id)];
            boolean right = switch (outcome) {
                case NOTHING -> false;
                case STORED -> stored[id] == 1;
                case FAILED -> stored[id] == 0;
                case UNKNOWN -> stored[id] <= 1;
            };
            if (!right) {
                Throwable failure = failures.get(id);
                wrong(
                        id,
                        "told " + outcome + ", stored " + stored[id] + " times "
                                + (failure == null ? "" : Throwables.getStackTrace(failure)));
            }
        }
        assertThat(wrong).as("seed " + seed).isEmpty();
    }

    public final long told(Told what) {
        long count = 0;
        for (int id = 0; id < members; id++) {
            count += outcomes.get(id) == what.ordinal() ? 1 : 0;
        }
        return count;
    }
}
