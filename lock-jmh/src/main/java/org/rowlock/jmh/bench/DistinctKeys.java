package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;

/**
 * Locks as many different keys as the clients can ask for: begin, lock one of very many rows, read it, commit. Hardly
 * anybody waits for a key, so what is left is what a lock costs the server, and what its sessions wait for inside.
 */
@ByHand(Strategy.NAIVE)
public class DistinctKeys extends LockWorkload {
    static final Scenario SCENARIO = new Scenario(
                    "lwlocks-keys",
                    "Many different keys at full rate: what a lock costs where nobody waits for it",
                    "Each client begins, locks one of 100,000 rows, reads it and commits. Two seldom want the same, so there is nothing"
                            + " for a better lock to win: a row lock writes the row's page and the WAL, an advisory lock takes an"
                            + " entry of the shared lock table and its LockManager locks. Which costs more, and do LockManager"
                            + " waits appear?",
                    "",
                    DistinctKeys.class,
                    Stream.of(90, 10).map(Point::clients).toList(),
                    Variant.withAdmission(Variant.of("NAIVE")),
                    List.of(
                            Metric.throughput("transactions"),
                            Metric.percentile("lock", 50, "lock"),
                            Metric.percentile("lock", 99, "lock"),
                            Metric.wal(),
                            Metric.xids()))
            .timed(Timing.THROUGHPUT);

    @Param("90")
    public int clients;

    /** The rows to choose from, all equally often. */
    @Param("100000")
    public int rows;

    @Override
    void prepare() throws SQLException {
        Accounts.create(server, rows);
        Exclusion exclusion = new Exclusion(rows + 1);
        atEnd(exclusion::check);
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        threads.add("client", clients, number -> {
            Latency lock = meter.latency("lock");
            DiscreteSampler keys = Zipf.uniform(rows);
            return () -> {
                int aid = keys.sample();
                lock.begin();
                locking.transaction(aid, connection -> {
                    lock.end();
                    exclusion.enter(aid);
                    Accounts.read(connection, aid);
                    exclusion.leave(aid);
                });
                return 1;
            };
        });
    }
}
