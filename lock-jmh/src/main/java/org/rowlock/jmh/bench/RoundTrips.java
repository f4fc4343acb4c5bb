package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.Jdbc;

/**
 * Measures one transaction with different numbers of flushes, where each flush takes a round trip. The transaction
 * locks a row, updates the row three times and commits, or is one UPDATE in autocommit. The SQL is hand-written, with
 * or without lock-jdbc, or comes from Rowlock. Early release and groups are further parameters. Each flush after the
 * lock holds the row for another round trip. If a transaction holds a hot row for t seconds, at most 1/t transactions
 * per second are possible.
 */
@ByHand(Strategy.FOR_UPDATE)
public class RoundTrips extends LockWorkload {
    private static final List<String> UPDATES = List.of(Accounts.ADD, Accounts.DOUBLE, Accounts.TAKE);
    private static final int APART = 5;
    private static final int ALONE = 100;
    private static final int HOTTEST = 1;
    private static final String ROW_LOCK = Accounts.READ + " for update";
    private static final String ADVISORY_LOCK = "select pg_advisory_xact_lock(4711, ?)";
    private static final String ADVISORY_LOCK_AND_READ = ADVISORY_LOCK + "; " + Accounts.READ;
    private static final String CONDITIONAL = Accounts.ADD + " and balance >= 0";

    /**
     * The statements of an early release. The COMMIT releases the locks without waiting for the disk. The message is a
     * second transaction, whose commit waits until the WAL of both transactions is on disk.
     */
    private static final String EARLY =
            "set local synchronous_commit = off; commit; select pg_logical_emit_message(true, 'rowlock', '')";

    @Param("90")
    public int clients;

    /** The number of flushes: 5, 3, 2 or 1 by hand. With admission, Rowlock sends the statements in 1 or 2 flushes. */
    @Param("5")
    public int flushes = APART;

    /** The wrapper of the clients' connections: "plain" for no wrapper, or a mode of lock-jdbc. */
    @Param(DropInPool.PLAIN)
    public String wrapper = DropInPool.PLAIN;

    @Param("false")
    public boolean autocommit;

    /** The largest number of callers that share a transaction. */
    @Param("1")
    public int group = 1;

    /** Whether the commit releases the locks before it waits for the disk. */
    @Param("false")
    public boolean early;

    @Param("100")
    public int rows = 100;

    @Param("1.1")
    public double zipf = 1.1;

    private final LongAdder raised = new LongAdder();
    private final LongAdder hottest = new LongAdder();
    private List<String> statements = List.of();
    private double heldSeconds;
    private long begun;

    @Override
    void prepare() throws SQLException {
        boolean isPlain = wrapper.equals(DropInPool.PLAIN);
        refuse(
                admission && flushes > 2,
                "with admission, Rowlock sends it in 2 flushes or 1: give -p flushes=2,1" + " with -p admission=true");
        refuse(
                early && !admission && (flushes != APART || !isPlain),
                "by hand, an early commit needs 5 flushes, and lock-jdbc has no early commit: give -p flushes=5 -p"
                        + " wrapper=plain");
        refuse(
                group > 1 && (admission ? flushes > 1 : !autocommit || isPlain),
                "groups need -p flushes=1 -p admission=true, or -p autocommit=true -p wrapper=queue");
        refuse(
                (autocommit || !isPlain) && (strategy != Strategy.FOR_UPDATE || flushes != APART),
                "autocommit and lock-jdbc need -p strategy=FOR_UPDATE -p flushes=5");
        Accounts accounts = Accounts.create(server, rows);
        atEnd(autocommit ? () -> accounts.checkSum(raised.sum()) : accounts::check);
        DataSource pool = isPlain ? server.pool(clients) : dropIn();
        RowLocks locks = locks(pool);
        heldSeconds = heldAlone(server.closeWith(server.begin()));
        threads.add("client", clients, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            Latency transaction = meter.latency("transaction");
            return () -> {
                int aid = keys.sample();
                transaction.begin();
                run(locks, pool, aid);
                transaction.end();
                hottest.add(aid == HOTTEST ? 1 : 0);
                return 1;
            };
        });
    }

    private void refuse(boolean isWrong, String message) {
        if (isWrong) {
            throw new IllegalArgumentException("There is no transaction with these parameters; " + message + ".");
        }
    }

    /** Wraps the pool with the drop-in. If the drop-in forms groups, the pool wraps the drop-in instead. */
    private DataSource dropIn() {
        return group > 1
                ? server.pool(clients, server.closeWith(DropInPool.of(server.dataSource(), wrapper, group)))
                : server.closeWith(DropInPool.of(server.pool(clients), wrapper, group));
    }

    RowLocks locks(DataSource pool) {
        statements = statements();
        return RowLocks.builder(pool)
                .strategy(strategy.lockStrategy())
                .release(early ? LockRelease.EARLY : LockRelease.PLAIN)
                .largestGroup(group)
                .build();
    }

    /** Returns the SQL of each flush, without a COMMIT that is a flush of its own. */
    private List<String> statements() {
        List<String> locks = new ArrayList<>();
        if (strategy == Strategy.BOTH || strategy == Strategy.ADVISORY) {
            boolean read = strategy == Strategy.ADVISORY && flushes > 1;
            locks.add(read ? ADVISORY_LOCK_AND_READ : ADVISORY_LOCK);
        }
        if (strategy != Strategy.ADVISORY) {
            locks.add(ROW_LOCK);
        }
        String lock = String.join("; ", locks);
        String updates = String.join("; ", UPDATES);
        return switch (flushes) {
            case APART -> Stream.concat(Stream.of(lock), UPDATES.stream()).toList();
            case 3 -> List.of(lock, updates);
            case 2 -> List.of(lock, updates + "; commit");
            case 1 -> List.of(lock + "; " + updates + "; commit");
            default ->
                throw new IllegalArgumentException(
                        "The transaction has 5, 3, 2 or 1 flushes, and not " + flushes + "; give -p flushes=5,3,2,1.");
        };
    }

    void run(RowLocks locks, DataSource pool, int aid) throws SQLException {
        if (admission) {
            runByRowlock(locks, aid);
            return;
        }
        try (Connection connection = pool.getConnection()) {
            if (autocommit) {
                connection.setAutoCommit(true);
                Jdbc.updateOne(connection, CONDITIONAL, aid);
                raised.increment();
                connection.setAutoCommit(false);
                return;
            }
            long updated = send(connection, statements, aid);
            commit(connection);
            checkUpdated(aid, updated);
        }
    }

    private void commit(Connection connection) throws SQLException {
        if (early) {
            send(connection, EARLY, HOTTEST);
        } else if (flushes >= 3) {
            connection.commit();
        }
    }

    /**
     * Runs the transaction by Rowlock. A single flush contains everything. If there are two flushes, the first contains
     * the lock and a read, and the second contains the updates and the commit.
     */
    private void runByRowlock(RowLocks locks, int aid) throws SQLException {
        LockRequest lock = forUpdate(LockKey.row(Accounts.TABLE, aid));
        List<CommitWrite> updates;
        if (flushes == 1) {
            CommitWrites writes = new CommitWrites();
            updates = addTo(writes, aid);
            locks.lock(lock).execute(writes);
        } else {
            updates = locks.lock(lock)
                    .read(Accounts.READ, row -> row.getLong(1), aid)
                    .inTransaction(tx -> addTo(tx.atCommit(), aid));
        }
        // The update counts are available only after the commit.
        checkUpdated(aid, updates.stream().mapToLong(CommitWrite::count).sum());
    }

    private List<CommitWrite> addTo(CommitWrites writes, int aid) {
        return UPDATES.stream().map(sql -> writes.add(sql, aid)).toList();
    }

    private static void checkUpdated(int aid, long times) {
        if (times != UPDATES.size()) {
            throw new InvariantViolation("account " + aid + " was to be updated 3 times, and was " + times + " times");
        }
    }

    private static long send(Connection connection, List<String> all, int aid) throws SQLException {
        long updated = 0;
        for (String sql : all) {
            updated += send(connection, sql, aid);
        }
        return updated;
    }

    private static long send(Connection connection, String sql, int aid) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int binds = (int) sql.chars().filter(letter -> letter == '?').count();
            for (int i = 1; i <= binds; i++) {
                statement.setInt(i, aid);
            }
            boolean isQuery = statement.execute();
            long updated = 0;
            while (isQuery || statement.getUpdateCount() >= 0) {
                updated += isQuery ? 0 : statement.getUpdateCount();
                isQuery = statement.getMoreResults();
            }
            return updated;
        }
    }

    /**
     * Measures how long the server holds the lock without contention: the time between the answers to the lock and to
     * the commit. A single flush has only one answer, so one round trip is subtracted from its whole time.
     */
    private double heldAlone(Connection connection) throws SQLException {
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < 2 * ALONE; i++) {
            long started = System.nanoTime();
            send(connection, statements.get(0), HOTTEST);
            long locked = System.nanoTime();
            send(connection, statements.subList(1, statements.size()), HOTTEST);
            commit(connection);
            long roundTripNanos = (long) (network.roundTripMillis() * 1e6);
            nanos.add(flushes == 1 ? locked - started - roundTripNanos : System.nanoTime() - locked);
        }
        // The first half is a warm-up.
        Collections.sort(nanos.subList(ALONE, 2 * ALONE));
        return Math.max(1, nanos.get(ALONE + ALONE / 2)) / 1e9;
    }

    @Override
    void begins(boolean measured) {
        hottest.reset();
        begun = System.nanoTime();
    }

    @Override
    void ends(boolean measured, Published results) {
        double rate = hottest.sum() / ((System.nanoTime() - begun) / 1e9);
        results.put("limit", 1 / heldSeconds, "1/s");
        results.put("limit.share", 100 * rate * heldSeconds, "%");
    }
}
