package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.Jdbc;

/**
 * Runs the mix of sysbench's oltp_write_only. A transaction updates an indexed column of one row and a plain column of
 * a second row. The transaction also deletes and reinserts a third row. Unlike in sysbench, the transaction first reads
 * the version of each row, and writes the next version, so that it needs locks. At the end, the sum of the versions
 * reveals a lost update. The result is the rate of commits.
 */
public class WriteMixed extends LockWorkload {
    static final String TABLE = "items";

    /** The number of retries after which a transaction counts as failed, as in TiDB. The benchmark still retries it. */
    private static final int MOST_RETRIES = 10;

    /** The condition by which OPTIMISTIC checks that the row has not changed since the read. */
    private static final String AS_READ = " where id = ? and (version = ? or not ?)";

    @Param("90")
    public int clients;

    @Param("1.1")
    public double zipf;

    @Param("10000")
    public int rows;

    final LongAdder commits = new LongAdder();
    private Locking locking;
    private Meter.Average retries;
    private Meter.Average failedCommits;

    enum Change {
        INDEXED("k = k + 1"),
        PLAIN("c = repeat(md5(c), 4)"),
        REINSERT("");

        private final String set;

        Change(String set) {
            this.set = set;
        }
    }

    @Override
    void prepare() throws SQLException {
        server.execute(
                "create table items (id int primary key, k bigint not null, version bigint not null, c text not null,"
                        + " pad text not null)",
                "insert into items select i, i, 0, repeat('c', 120), repeat('p', 60) from generate_series(1, " + rows
                        + ") i",
                "create index on items (k)",
                "vacuum analyze items");
        atEnd(this::check);
        locking = locking(server.pool(clients), TABLE, "id");
        retries = meter.average("retries");
        failedCommits = meter.average("failedCommits");
        threads.add("client", clients, number -> {
            Latency transaction = meter.latency("transaction");
            DiscreteSampler ids = Zipf.zipf(rows, zipf);
            return () -> {
                commit(plan(ids), transaction);
                return 1;
            };
        });
    }

    /**
     * Chooses the rows, ordered by id. Without a common order, transactions that write several rows deadlock with every
     * strategy.
     */
    private static SortedMap<Integer, Change> plan(DiscreteSampler ids) {
        SortedMap<Integer, Change> changes = new TreeMap<>();
        for (Change change : Change.values()) {
            while (changes.putIfAbsent(ids.sample(), change) != null) {}
        }
        return changes;
    }

    /**
     * Runs one transaction, and retries it until the commit. The client never gives up, because a client that dropped
     * contended transactions for easier ones would look fast.
     *
     * @param latency records the time of the transaction including all retries
     */
    void commit(SortedMap<Integer, Change> plan, Latency latency) throws SQLException {
        latency.begin();
        int failed = 0;
        while (!attempt(plan)) {
            failed++;
        }
        latency.end();
        commits.increment();
        retries.add(failed, 1);
        failedCommits.add(failed / (MOST_RETRIES + 1), 1);
    }

    private boolean attempt(SortedMap<Integer, Change> plan) throws SQLException {
        boolean[] isDone = {false};
        locking.admitted(
                locking.keys(plan.keySet()),
                RowLockMode.FOR_UPDATE,
                () -> Jdbc.inTransaction(locking.pool(), connection -> {
                    isDone[0] = transact(connection, plan);
                    if (!isDone[0]) {
                        connection.rollback();
                    }
                }));
        return isDone[0];
    }

    /** Returns false if another transaction has changed a row first. */
    private boolean transact(Connection connection, SortedMap<Integer, Change> plan) throws SQLException {
        // A row lock waits for a version of the row. If the holder deletes and reinserts the row, the lock finds no
        // row, and the transaction must be retried.
        if (strategy != Strategy.OPTIMISTIC && !locking.lockAll(connection, plan.keySet(), RowLockMode.FOR_UPDATE)) {
            return false;
        }
        Map<Integer, Long> versions = versions(connection, plan.keySet());
        for (Map.Entry<Integer, Change> each : plan.entrySet()) {
            Long version = versions.get(each.getKey());
            if (version == null || !write(connection, each.getKey(), each.getValue(), version)) {
                return false;
            }
        }
        return true;
    }

    static Map<Integer, Long> versions(Connection connection, Collection<Integer> ids) throws SQLException {
        Map<Integer, Long> versions = new HashMap<>();
        Jdbc.list(
                connection,
                "select id, version from items where id = any (?)",
                row -> versions.put(row.getInt(1), row.getLong(2)),
                (Object) Locking.array(ids));
        return versions;
    }

    /** Returns false if the row no longer exists or, with OPTIMISTIC, has another version. */
    boolean write(Connection connection, int id, Change change, long version) throws SQLException {
        boolean compares = strategy == Strategy.OPTIMISTIC;
        if (change != Change.REINSERT) {
            String sql = "update items set version = ?, " + change.set + AS_READ;
            return Jdbc.update(connection, sql, version + 1, id, version, compares) == 1;
        }
        boolean deleted = Jdbc.update(connection, "delete from items" + AS_READ, id, version, compares) == 1;
        if (deleted) {
            String sql = "insert into items values (?, ?, ?, repeat('c', 120), repeat('p', 60))";
            Jdbc.updateOne(connection, sql, id, id, version + 1);
        }
        return deleted;
    }

    void check() throws SQLException {
        long[] found = server.numbers("select count(*), sum(version) from items");
        long expected = commits.sum() * Change.values().length;
        if (found[0] != rows || found[1] != expected) {
            throw new InvariantViolation(
                    "Updates were lost: the commits made " + expected + " writes, and the rows have" + " seen "
                            + found[1] + ". " + found[0] + " of " + rows + " rows are left");
        }
    }
}
