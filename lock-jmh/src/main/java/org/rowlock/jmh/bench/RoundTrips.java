package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;

/**
 * Measures one transaction by hand or through an API of Rowlock. The transaction locks a row, reads the row, writes the
 * row three times and commits. Each round trip after the lock prolongs the hold. If a transaction holds a hot
 * row for t seconds, at most 1/t transactions per second are possible.
 */
public class RoundTrips extends Workload {
    private static final int WRITES = 3;

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

    @Override
    void prepare() throws SQLException {
        Accounts accounts = Accounts.create(server, rows);
        atEnd(() -> accounts.checkSum(raised.sum()));
        Door chosen = new JdbcDoors(server, clients, WRITES).door(door);
        threads.add("client", clients, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            Latency transaction = meter.latency("transaction");
            return () -> {
                transaction.begin();
                chosen.change().raise(keys.sample());
                transaction.end();
                raised.add(chosen.by());
                return 1;
            };
        });
    }
}
