package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLocks;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.Sql;

/** Lock, three updates and commit for each caller, and in one transaction for all waiting callers. */
@ByHand(Strategy.FOR_UPDATE)
public class GroupExecution extends LockWorkload {
    private static final String CONDITIONAL =
            "update " + Accounts.TABLE + " set balance = 0 where aid = ? and balance >= 0";

    static final Scenario SCENARIO = new Scenario(
            "group",
            "Hot rows: callers who wait share a transaction",
            "All clients take one row, or pick one by zipf(1..100, s = 1.1), lock it, update it three times and"
                    + " commit: with SELECT ... FOR UPDATE by hand, in one flush each (execute), and in groups of those"
                    + " who wait in the JVM. Beside it one conditional UPDATE in autocommit, by hand and in groups by"
                    + " lock-jdbc.",
            "Other databases have it in the server (PolarDB, AliSQL, TXSQL: 6x to 50x on one row, by their makers). A"
                    + " prototype: 11.6x of FOR UPDATE by hand with 90 clients on one row, 31x at 0.6 ms.",
            GroupExecution.class,
            Stream.of(90, 300, 10)
                    .flatMap(clients -> Stream.of(
                            Point.of(clients + " clients, one row", clients, "rows", "1"), Point.clients(clients)))
                    .toList(),
            List.of(
                    Variant.of("FOR_UPDATE"),
                    Variant.of("FOR_UPDATE").with(", one UPDATE in autocommit", "way", Way.AUTOCOMMIT.name()),
                    Variant.of("ROW").with(", execute", "way", Way.EXECUTE.name()),
                    grouped(8),
                    grouped(32),
                    Variant.of("FOR_UPDATE")
                            .with(", UPDATEs in autocommit in groups of 64 by lock-jdbc", "way", Way.DROP_IN.name())
                            .with("", "group", "64")),
            List.of(
                    Metric.throughput("transactions"),
                    Metric.percentile("transaction", 50, "transaction"),
                    Metric.percentile("transaction", 99, "transaction"),
                    Metric.xids(),
                    Metric.wal()));

    /** By what it is done. */
    public enum Way {
        BY_HAND,
        AUTOCOMMIT,
        DROP_IN,
        EXECUTE
    }

    @Param("90")
    public int clients;

    @Param("BY_HAND")
    public Way way = Way.BY_HAND;

    /** How many calls of execute may share a transaction. */
    @Param("1")
    public int group = 1;

    /** How many rows there are; 1 for one hot row. */
    @Param("100")
    public int rows = 100;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf = 1.1;

    private static Variant grouped(int size) {
        return Variant.of("ROW")
                .with(", groups of " + size, "way", Way.EXECUTE.name())
                .with("", "group", Integer.toString(size));
    }

    @Override
    void prepare() throws SQLException {
        if ((way == Way.EXECUTE) != strategy.isRowlock()) {
            throw new IllegalArgumentException(
                    "way=" + way + " has no strategy " + strategy + "; give -p way=BY_HAND, AUTOCOMMIT or DROP_IN with"
                            + " -p strategy=FOR_UPDATE, and EXECUTE with ROW, BOTH or ADVISORY.");
        }
        atEnd(Accounts.create(server, rows)::check);
        DataSource pool = way == Way.DROP_IN ? server.pool(clients, dropIn()) : server.pool(clients);
        RowLocks locks = RowLocks.builder()
                .strategy(strategy.lockStrategy())
                .largestGroup(group)
                .build();
        threads.add("client", clients, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            Latency transaction = meter.latency("transaction");
            return () -> {
                int aid = keys.sample();
                transaction.begin();
                run(locks, pool, aid);
                transaction.end();
                return 1;
            };
        });
    }

    /** Below the pool, as it groups only what it sees all of. */
    private RowlockDataSource dropIn() {
        RowlockDataSource dropIn = RowlockDataSource.builder(server.dataSource())
                .mode(RowlockMode.QUEUE)
                .largestGroup(group)
                .build();
        atEnd(dropIn::close);
        return dropIn;
    }

    /** Lock, updates and commit. */
    void run(RowLocks locks, DataSource pool, int aid) throws SQLException {
        if (way == Way.EXECUTE) {
            RoundTrips.inOne(locks, pool, aid, false);
            return;
        }
        try (Connection connection = pool.getConnection()) {
            if (way == Way.AUTOCOMMIT || way == Way.DROP_IN) {
                connection.setAutoCommit(true);
                Sql.updateOne(connection, CONDITIONAL, aid);
                connection.setAutoCommit(false);
                return;
            }
            Accounts.lock(connection, aid);
            Accounts.updateThrice(connection, aid);
            connection.commit();
        }
    }
}
