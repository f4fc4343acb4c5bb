package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.Jdbc;

/**
 * Runs the mix of sysbench's oltp_write_only. A transaction updates an indexed column of one row and a plain column of
 * a second row. The transaction also deletes and reinserts a third row. Unlike in sysbench, the transaction first reads
 * the rows and computes the new values from them, so that it needs locks. At the end, the sums over all rows reveal a
 * lost update. The result is the rate of commits.
 */
@ByHand({Strategy.FOR_UPDATE, Strategy.OPTIMISTIC})
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
        INDEXED,
        PLAIN,
        REINSERT
    }

    /**
     * The values of a row that a transaction has read.
     *
     * @param k the indexed column: the id plus the number of writes to this column
     * @param plainWrites the number of writes that changed no index
     * @param inserts how often the row was deleted and inserted again
     */
    record Item(int id, long k, long plainWrites, long inserts, long version) {}

    @Override
    void prepare() throws SQLException {
        server.execute(
                "create table items (id int primary key, k bigint not null, plain_writes bigint not null,"
                        + " inserts bigint not null, version bigint not null, c text not null, pad text not null)",
                "insert into items select i, i, 0, 0, 0, repeat('c', 120), repeat('p', 60) from generate_series(1, "
                        + rows + ") i",
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
        Map<Integer, Item> read = read(connection, plan.keySet());
        for (Map.Entry<Integer, Change> each : plan.entrySet()) {
            Item item = read.get(each.getKey());
            if (item == null || !write(connection, each.getValue(), item)) {
                return false;
            }
        }
        return true;
    }

    static Map<Integer, Item> read(Connection connection, Collection<Integer> ids) throws SQLException {
        return Jdbc.list(
                        connection,
                        "select id, k, plain_writes, inserts, version from items where id = any (?)",
                        row -> new Item(row.getInt(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                        (Object) Locking.array(ids))
                .stream()
                .collect(Collectors.toMap(Item::id, item -> item));
    }

    /** Returns false if the row no longer exists or, with OPTIMISTIC, has another version. */
    boolean write(Connection connection, Change change, Item read) throws SQLException {
        return switch (change) {
            case INDEXED -> write(connection, "update items set k = ?, version = version + 1", read, read.k() + 1);
            case PLAIN ->
                write(
                        connection,
                        "update items set plain_writes = ?, version = version + 1, c = repeat(md5(c), 4)",
                        read,
                        read.plainWrites() + 1);
            case REINSERT -> {
                boolean deleted = write(connection, "delete from items", read);
                if (deleted) {
                    Jdbc.updateOne(
                            connection,
                            "insert into items values (?, ?, ?, ?, ?, repeat('c', 120), repeat('p', 60))",
                            read.id(),
                            read.k(),
                            read.plainWrites(),
                            read.inserts() + 1,
                            read.version() + 1);
                }
                yield deleted;
            }
        };
    }

    private boolean write(Connection connection, String sql, Item read, Long... value) throws SQLException {
        Stream<Object> asRead = Stream.of(read.id(), read.version(), strategy == Strategy.OPTIMISTIC);
        Object[] values = Stream.concat(Stream.of(value), asRead).toArray();
        return Jdbc.update(connection, sql + AS_READ, values) == 1;
    }

    void check() throws SQLException {
        long[] found =
                server.numbers("select count(*), sum(k) - sum(id::bigint), sum(plain_writes), sum(inserts) from items");
        long expected = commits.sum();
        if (!Arrays.equals(found, new long[] {rows, expected, expected, expected})) {
            throw new InvariantViolation("Updates were lost: after " + expected + " commits the rows have seen "
                    + found[1] + " updates of the index, " + found[2] + " other updates and " + found[3]
                    + " inserts, and " + found[0] + " of " + rows + " rows are left");
        }
    }
}
