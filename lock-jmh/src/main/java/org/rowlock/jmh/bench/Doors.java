package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.tool.ServerFailures;

/**
 * Measures one transaction by hand or through an API of Rowlock (a {@link Door}). The transaction locks a row, reads
 * the row, writes the row and commits. Each round trip after the lock prolongs the hold. If a transaction holds a hot
 * row for t seconds, at most 1/t transactions per second are possible.
 *
 * <p>Several doors share one JVM. Each window then is a slice of one door, in a new random order each round. A
 * disturbance of the machine therefore affects all doors alike.
 */
public class Doors extends Workload {
    /** The result that names the door of a window: its index in {@link #door}. */
    public static final String INDEX = "door";

    private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int ALONE_PERCENTILE = 25;
    private static final int HOTTEST = 1;
    private static final int MOST_PASSES = 25;

    /**
     * All reading threads together read at most once in this time, whatever the number of clients. At full speed the
     * reads would take most of the processor time, and a door that makes readers wait would seem to be faster.
     */
    private static final long READ_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** How long the threads fill the queues before each slice. */
    private static final long SETTLING_NANOS = TimeUnit.MILLISECONDS.toNanos(125);

    @Param("90")
    public int clients;

    /** The name of the door in {@link JdbcDoors}, or several names with spaces between them. */
    @Param(JdbcDoors.BY_HAND)
    public String door = JdbcDoors.BY_HAND;

    @Param("100")
    public int rows;

    @Param("1.1")
    public double zipf;

    /** The number of writing statements in a transaction by JDBC. */
    @Param("3")
    public int writes;

    /** The percentage of the clients that only read. */
    @Param("0")
    public int readers;

    private final LongAdder raised = new LongAdder();
    private final LongAdder hottest = meter.count("hottest");
    private final List<Named> doors = new ArrayList<>();
    private final Deque<Integer> round = new ArrayDeque<>();

    /** A transaction shares this lock, so the next door waits until all transactions of the last door have ended. */
    private final ReadWriteLock passage = new ReentrantReadWriteLock();

    private Named open;
    private int index;
    private double heldSeconds;

    private record Named(String name, Door door) {
        void raise(int aid) throws SQLException {
            try {
                door.change().raise(aid);
            } catch (SQLException | RuntimeException e) {
                throw new SQLException("With the door '" + name + "': " + ServerFailures.describe(e), e);
            }
        }
    }

    static void createTables(BenchmarkServer server, int rows) throws SQLException {
        Accounts.create(server, rows);
        server.execute(
                "create table " + JpaDoors.VERSIONED
                        + " (aid int primary key, balance bigint not null, version int not null)"
                        + " with (fillfactor = 50)",
                "insert into " + JpaDoors.VERSIONED + " select i, 0, 0 from generate_series(1, " + rows + ") i",
                "vacuum analyze " + JpaDoors.VERSIONED);
    }

    /** Fails unless the sum of the balances equals the number of committed raises. */
    static void checkSum(BenchmarkServer server, int rows, long raises) throws SQLException {
        long versioned = server.numbers("select sum(balance) from " + JpaDoors.VERSIONED)[0];
        new Accounts(server, rows).checkSum(raises - versioned);
    }

    @Override
    void prepare() throws SQLException {
        createTables(server, rows);
        atEnd(() -> checkSum(server, rows, raised.sum()));
        JdbcDoors jdbc = new JdbcDoors(server, clients, writes);
        Map<String, Named> opened = new HashMap<>();
        for (String name : door.split(" ", -1)) {
            doors.add(opened.computeIfAbsent(name, each -> new Named(each, jdbc.door(each))));
        }
        // Many clients would leave the JIT compilers no processor, so each door begins with one client.
        for (Named each : doors.size() == 1 || warmsUp() ? opened.values() : List.<Named>of()) {
            heldSeconds = heldAlone(each);
        }
        open = doors.get(0);
        Meter.Average roundTrips = meter.average("roundTrips");
        int reading = clients * readers / 100;
        threads.add("transaction", clients - reading, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            Latency transaction = meter.latency("transaction");
            return () -> pass(named -> {
                int aid = keys.sample();
                int trips = RoundTripCounter.counted();
                transaction.begin();
                named.raise(aid);
                transaction.end();
                roundTrips.add(RoundTripCounter.counted() - trips, 1);
                raised.add(named.door().by());
                hottest.add(aid == HOTTEST ? 1 : 0);
            });
        });
        threads.addBeside("readers", reading, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            Latency latency = meter.latency("readers");
            long[] due = {System.nanoTime() + number * READ_PAUSE_NANOS};
            return () -> {
                LockSupport.parkNanos(due[0] - System.nanoTime());
                // A reader that was delayed does not make up for the reads that it missed.
                due[0] = Math.max(due[0], System.nanoTime() - READ_PAUSE_NANOS) + reading * READ_PAUSE_NANOS;
                return pass(named -> {
                    latency.begin();
                    named.door().read(keys.sample());
                    latency.end();
                });
            };
        });
    }

    @FunctionalInterface
    private interface Transaction {
        void run(Named named) throws SQLException;
    }

    private int pass(Transaction transaction) throws SQLException {
        passage.readLock().lock();
        try {
            transaction.run(open);
        } finally {
            passage.readLock().unlock();
        }
        return 1;
    }

    private void enter(Named next) {
        passage.writeLock().lock();
        open = next;
        passage.writeLock().unlock();
        Pause.until(System.nanoTime() + SETTLING_NANOS);
    }

    /**
     * Estimates how long a transaction holds the row without contention: the time of the whole transaction, minus the
     * round trip that acquires the lock. The estimate uses the 25th percentile of the times, because the code is cold
     * at first.
     */
    private double heldAlone(Named chosen) throws SQLException {
        Histogram alone = new Histogram(2);
        long begun = System.nanoTime();
        long started = begun;
        while (started - begun < ALONE_NANOS) {
            chosen.raise(HOTTEST);
            raised.add(chosen.door().by());
            long ended = System.nanoTime();
            alone.recordValue(ended - started);
            started = ended;
        }
        return Math.max(1, alone.getValueAtPercentile(ALONE_PERCENTILE) - network.roundTripMillis() * 1e6) / 1e9;
    }

    /** Repeats passes through all doors until the JIT compilers have finished. */
    @Override
    void warmUp() throws SQLException {
        if (doors.size() == 1) {
            super.warmUp();
            return;
        }
        boolean isCompiling = warmsUp();
        for (int pass = 1; pass <= MOST_PASSES && isCompiling; pass++) {
            double compiled = Processors.compilerSeconds();
            long begun = System.nanoTime();
            doors.forEach(this::enter);
            threads.check();
            isCompiling = (Processors.compilerSeconds() - compiled) * 1e9 > COMPILED * (System.nanoTime() - begun);
        }
    }

    @Override
    void begins(boolean measured) {
        if (doors.size() > 1) {
            if (round.isEmpty()) {
                List<Integer> all =
                        new ArrayList<>(IntStream.range(0, doors.size()).boxed().toList());
                Collections.shuffle(all);
                round.addAll(all);
            }
            index = round.remove();
            enter(doors.get(index));
        }
    }

    @Override
    void ends(boolean measured, Published results) {
        if (doors.size() > 1) {
            results.put(INDEX, index, "");
        } else {
            results.put("limit", 1 / heldSeconds, "1/s");
            results.put("limit.share", 100 * heldSeconds * hottest.sum() / results.seconds(), "%");
        }
    }
}
