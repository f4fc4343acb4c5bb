package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;

/**
 * The work of {@link Zipfian} by several application instances: the clients are dealt out evenly, and those of one instance
 * share its admission queues and its connection pool, as the threads of one JVM do.
 */
public class Instances extends HotRows {
    private static final int THREADS = 320;
    private static final int POOL = 16;

    static final Scenario SCENARIO = new Scenario(
            "instances",
            "The same crowd in 1 to 40 application instances: which lever pays?",
            THREADS
                    + " threads do the work of zipfian, spread over so many application instances. Admission keeps the threads"
                    + " of one instance from meeting at the server, and does nothing between instances. First each thread"
                    + " has a connection of its own; then each instance has a pool of " + POOL
                    + ", which is an admission too, of all keys alike.",
            "",
            Instances.class,
            Stream.concat(
                            Stream.of(1, 4, 10, 20, 40).map(count -> point(count, 0)),
                            Stream.of(1, 4, 10).map(count -> point(count, POOL)))
                    .toList(),
            Variant.besideByHand(),
            Zipfian.METRICS);

    @Param("320")
    public int clients;

    /** How many application instances; no more than clients. */
    @Param({"1", "4", "10", "20", "40"})
    public int instances;

    /** The connections of each instance's pool; 0 for one per client. Never more than its clients. */
    @Param("0")
    public int poolSize;

    private static Point point(int instances, int pool) {
        return Point.of(
                        instances
                                + (instances == 1 ? " instance" : " instances")
                                + (pool == 0 ? "" : ", pool of " + pool),
                        THREADS,
                        "instances",
                        Integer.toString(instances),
                        "poolSize",
                        Integer.toString(pool))
                .connecting(pool == 0 ? THREADS : pool * instances);
    }

    @Override
    void prepare() throws SQLException {
        create(ROWS, "fillfactor = 50");
        int count = Math.min(instances, clients);
        for (int instance = 0; instance < count; instance++) {
            int members = (clients - instance + count - 1) / count;
            int connections = poolSize == 0 ? members : Math.min(poolSize, members);
            Locking locking = locking(server.pool(connections), Accounts.TABLE, Accounts.ID);
            threads.add("instance-" + instance, members, number -> client(locking, Zipf.zipf(ROWS, zipf)));
        }
    }
}
