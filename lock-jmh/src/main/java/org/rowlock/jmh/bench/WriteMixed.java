package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;

/**
 * The mix of sysbench's oltp_write_only: a transaction updates an indexed column of one row, another column of a
 * second, and deletes a third and inserts it again. Unlike sysbench's it reads the rows first and writes what it has
 * computed from them, since without that nothing needs a lock. What is counted is commits.
 */
@ByHand(Strategy.OPTIMISTIC)
public class WriteMixed extends LockWorkload {
    @Param("90")
    public int clients;

    /** Which rows are picked. */
    @Param("ZIPF")
    public Zipfian.Keys keys = Zipfian.Keys.ZIPF;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    /** As many as a table of sysbench's has. */
    @Param("10000")
    public int rows;

    /** After how many retries a transaction counts as failed; TiDB's default. It is run again all the same. */
    @Param("10")
    public int mostRetries;

    @Override
    void prepare() throws SQLException {
        HikariDataSource pool = server.pool(clients);
        WriteMix mix =
                new WriteMix(locking(pool, Items.TABLE, "id"), pool, Items.create(server, rows), meter, mostRetries);
        atEnd(mix::check);
        threads.add("client", clients, number -> {
            Latency transaction = meter.latency("transaction");
            DiscreteSampler ids = keys == Zipfian.Keys.ZIPF ? Zipf.zipf(rows, zipf) : Zipf.uniform(rows);
            return () -> {
                mix.commit(plan(ids), transaction);
                return 1;
            };
        });
    }

    private static WriteMix.Plan plan(DiscreteSampler ids) {
        Map<Integer, WriteMix.Change> changes = new TreeMap<>();
        for (WriteMix.Change change : WriteMix.Change.values()) {
            while (changes.putIfAbsent(ids.sample(), change) != null) {
                // Another row has it already.
            }
        }
        return new WriteMix.Plan(List.copyOf(changes.keySet()), new ArrayList<>(changes.values()));
    }
}
