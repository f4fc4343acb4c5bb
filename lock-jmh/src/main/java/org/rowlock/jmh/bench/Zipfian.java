package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
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
            "Hot rows: lock one of 100, update it three times",
            "Each client picks a row by zipf(1..100, s = 1.1), begins, locks it, updates it three times and commits. The same"
                    + " on uniform keys, where two clients seldom meet, is the limit to compare with.",
            "90 clients, 600 s, 4 cores, PostgreSQL 12: the lock statement took 66.5 ms with FOR UPDATE and 35.5 ms with an"
                    + " advisory lock.",
            Zipfian.class,
            List.of(
                    Point.of("90 clients", 90, "keys", "ZIPF"),
                    Point.of("90 clients, uniform keys", 90, "keys", "UNIFORM")),
            Variant.besideByHand(Variant.of("ADVISORY").with(" pipelined", "pipelined", "true"), Variant.of("NAIVE")),
            METRICS);

    static final Scenario OVER_CLIENTS = new Scenario(
            "clients",
            "Hot rows: from one client to hundreds",
            "The work of zipfian over the number of clients: where does each strategy saturate, and what is left of its best"
                    + " with hundreds?",
            "Saturation near 10 clients; FOR UPDATE falls off much faster.",
            Zipfian.class,
            Stream.of(1, 2, 4, 10, 30, 90, 200, 300).map(Point::clients).toList(),
            Variant.besideByHand(),
            METRICS);

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
