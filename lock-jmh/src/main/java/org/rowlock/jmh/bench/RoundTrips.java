package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.profile.Published;

/**
 * Measures one transaction by hand or through an API of Rowlock. The transaction locks a row, reads the row, writes the
 * row three times and commits. Each round trip after the lock prolongs the hold. If a transaction holds a hot
 * row for t seconds, at most 1/t transactions per second are possible.
 */
public class RoundTrips extends Workload {
    private static final int WRITES = 3;
    private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int ALONE_PERCENTILE = 25;
    private static final int HOTTEST = 1;

    @Param("90")
    public int clients;

    /** The variant of the transaction, by its name in {@link JdbcDoors}. */
    @Param(JdbcDoors.BY_HAND)
    public String door = JdbcDoors.BY_HAND;

    @Param("100")
    public int rows;

    @Param("1.1")
    public double zipf;

    private final LongAdder raised = new LongAdder();
    private final LongAdder hottest = meter.count("hottest");
    private double heldSeconds;

    @Override
    void prepare() throws SQLException {
        Accounts accounts = Accounts.create(server, rows);
        atEnd(() -> accounts.checkSum(raised.sum()));
        Door chosen = new JdbcDoors(server, clients, WRITES).door(door);
        heldSeconds = heldAlone(chosen);
        threads.add("client", clients, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            Latency transaction = meter.latency("transaction");
            return () -> {
                int aid = keys.sample();
                transaction.begin();
                chosen.change().raise(aid);
                transaction.end();
                raised.add(chosen.by());
                hottest.add(aid == HOTTEST ? 1 : 0);
                return 1;
            };
        });
    }

    /**
     * Estimates how long a transaction holds the row without contention: the time of the whole transaction, minus the
     * round trip that acquires the lock. The estimate uses the 25th percentile of the times, because the code is cold
     * at first.
     */
    private double heldAlone(Door chosen) throws SQLException {
        Histogram alone = new Histogram(2);
        long begun = System.nanoTime();
        long started = begun;
        while (started - begun < ALONE_NANOS) {
            chosen.change().raise(HOTTEST);
            raised.add(chosen.by());
            long ended = System.nanoTime();
            alone.recordValue(ended - started);
            started = ended;
        }
        return Math.max(1, alone.getValueAtPercentile(ALONE_PERCENTILE) - network.roundTripMillis() * 1e6) / 1e9;
    }

    @Override
    void ends(boolean measured, Published results) {
        results.put("limit", 1 / heldSeconds, "1/s");
        results.put("limit.share", 100 * heldSeconds * hottest.sum() / results.seconds(), "%");
    }
}
