package org.rowlock.examples.demo;

import static org.rowlock.LockRequest.forUpdate;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLocks;

/**
 * One hot row and the rest of a service, on a small pool: all clients raise one counter, and a few other threads read
 * accounts. By hand, each thread that waits holds a connection; with Rowlock's default most threads queue before they
 * borrow one; in groups those that queue share a transaction.
 */
final class OneRow {
    static final int POOL_SIZE = 16;

    private static final int OTHERS = 4;
    private static final String TABLE = DemoSchema.NAME + ".counter";
    private static final LockRequest COUNTER = forUpdate(LockKey.row(TABLE, 1));
    private static final String RAISE = "update " + TABLE + " set value = value + 1 where id = 1";
    private static final int LARGEST_GROUP = 32;

    private final DataSource pool;
    private final RowLocks locks = RowLocks.create();
    private final RowLocks grouping =
            RowLocks.builder().largestGroup(LARGEST_GROUP).build();
    private final Way byHand = new Way("FOR UPDATE by hand", this::raiseByHand);
    private final List<Way> ways = List.of(
            byHand,
            new Way("Rowlock, default", this::raise),
            new Way("Rowlock, groups of " + LARGEST_GROUP, this::raiseInGroups));

    OneRow(DataSource pool) {
        this.pool = pool;
    }

    private interface Raise {
        void run() throws SQLException;
    }

    /** One way to raise the counter, and what it came to. */
    private record Way(String name, Raise raise, LongAdder raised, Histogram othersMicros) {
        Way(String name, Raise raise) {
            this(name, raise, new LongAdder(), new ConcurrentHistogram(3));
        }
    }

    /** How long it takes. */
    static Duration total(Duration perWay) {
        // Half a turn to warm up, and two halves that count, for each of the three ways.
        return perWay.multipliedBy(3).dividedBy(2).multipliedBy(3);
    }

    private void raise() throws SQLException {
        locks.inTransaction(pool, COUNTER, tx -> {
            execute(tx.connection(), RAISE);
            return null;
        });
    }

    private void raiseInGroups() throws SQLException {
        CommitWrites writes = new CommitWrites();
        writes.add(RAISE).expectOneRow();
        grouping.execute(pool, COUNTER, writes);
    }

    private void raiseByHand() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            execute(connection, "select from " + TABLE + " where id = 1 for update");
            execute(connection, RAISE);
            connection.commit();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    /** Shows all, and fails unless the counter holds what the clients were told was committed. */
    void run(int clients, Duration perWay, PrintStream out) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            execute(connection, "create table " + TABLE + " (id int primary key, value bigint) with (fillfactor = 50)");
            execute(connection, "insert into " + TABLE + " values (1, 0)");
        }
        // A warm-up, whose figures are forgotten, and two rounds, the second backwards.
        long raised = 0;
        for (Way way : ways) {
            slice(way, clients, perWay.dividedBy(2));
            raised += way.raised().sumThenReset();
            way.othersMicros().reset();
        }
        for (Way way : ways) {
            slice(way, clients, perWay.dividedBy(2));
        }
        for (int i = ways.size() - 1; i >= 0; i--) {
            slice(ways.get(i), clients, perWay.dividedBy(2));
        }
        out.printf(Locale.ROOT, "%nOne row for %d threads, a pool of %d, %d others:%n", clients, POOL_SIZE, OTHERS);
        double seconds = perWay.toNanos() / 1e9;
        for (Way way : ways) {
            out.printf(
                    Locale.ROOT,
                    "%-21s  %,8.0f tx/s  %6.2fx  the others' reads p99 %,8.2f ms%n",
                    way.name(),
                    way.raised().sum() / seconds,
                    (double) way.raised().sum() / byHand.raised().sum(),
                    way.othersMicros().getValueAtPercentile(99) / 1e3);
            raised += way.raised().sum();
        }
        check(raised);
    }

    private void slice(Way way, int clients, Duration duration) {
        ExecutorService threads = Executors.newFixedThreadPool(clients + OTHERS);
        long end = System.nanoTime() + duration.toNanos();
        List<Callable<Void>> work = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            work.add(() -> {
                while (System.nanoTime() < end) {
                    way.raise().run();
                    way.raised().increment();
                }
                return null;
            });
        }
        for (int i = 0; i < OTHERS; i++) {
            int account = i + 1;
            work.add(() -> {
                while (System.nanoTime() < end) {
                    long asked = System.nanoTime();
                    try (Connection connection = pool.getConnection()) {
                        execute(connection, "select balance from " + DemoAccounts.TABLE + " where id = " + account);
                    }
                    way.othersMicros().recordValue((System.nanoTime() - asked) / 1_000);
                    Thread.sleep(1);
                }
                return null;
            });
        }
        try {
            for (Future<Void> each : threads.invokeAll(work)) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new DemoException("A client could not raise the counter: " + DemoErrors.describe(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoException("The demo was interrupted.", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private void check(long expected) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select value from " + TABLE)) {
            row.next();
            if (row.getLong(1) != expected) {
                throw new DemoException("The counter is " + row.getLong(1) + ", and " + expected + " raises were"
                        + " committed: a lock let two in.");
            }
        }
    }
}
