package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;

/** The published workload: pick a row by zipf(1..100, s = 1.1), begin, lock it, update it three times, commit. */
public class Zipfian extends HotRows {
    static final List<Metric> METRICS = List.of(
            Metric.throughput("transactions"),
            Metric.percentile("lock", 50, "lock"),
            Metric.percentile("lock", 95, "lock"),
            Metric.percentile("lock", 99, "lock"),
            Metric.lower("lock.max", "lock max", "ms"),
            Metric.wal());

    static final Scenario SCENARIO = new Scenario(
            "zipfian",
            Zipfian.class,
            List.of(
                    Point.of("90 clients", 90, "keys", "ZIPF"),
                    Point.of("90 clients, uniform keys", 90, "keys", "UNIFORM")),
            Variant.besideByHand(Variant.of("ADVISORY").with(" pipelined", "pipelined", "true"), Variant.of("NAIVE")),
            METRICS);

    static final Scenario OVER_CLIENTS = new Scenario(
            "clients",
            Zipfian.class,
            Stream.of(1, 2, 4, 10, 30, 90, 200, 300).map(Point::clients).toList(),
            Variant.besideByHand(),
            METRICS);

    /** Hardly anybody waits for a key, so what is left is what a lock costs the server. */
    static final Scenario DISTINCT_KEYS = new Scenario(
                    "lwlocks-keys",
                    Zipfian.class,
                    Stream.of(90, 10)
                            .map(clients ->
                                    Point.of(clients + " clients", clients, "keys", "UNIFORM", "reading", "true"))
                            .toList(),
                    Variant.withAdmission(Variant.of("NAIVE")),
                    METRICS)
            .timed(Timing.THROUGHPUT);

    private static final int UNIFORM_ROWS = 100_000;

    /** Which rows are picked. */
    public enum Keys {
        ZIPF,
        /** Of so many that two clients seldom want the same. */
        UNIFORM
    }

    @Param("ZIPF")
    public Keys keys = Keys.ZIPF;

    @Param("90")
    public int clients;

    @Override
    void prepare() throws SQLException {
        boolean uniform = keys == Keys.UNIFORM;
        create(uniform ? UNIFORM_ROWS : ROWS, "fillfactor = 50");
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        threads.add(
                "client",
                clients,
                number -> client(locking, uniform ? Zipf.uniform(UNIFORM_ROWS) : Zipf.zipf(ROWS, zipf)));
    }
}
