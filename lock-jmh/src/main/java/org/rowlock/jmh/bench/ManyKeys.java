package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.TransactionLocks;
import org.rowlock.jmh.server.Jdbc;

/** Locks many rows in one call, exclusively or shared, and commits. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE})
public class ManyKeys extends LockWorkload {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The number of rows, large enough to make the planner use the index. */
    private static final int ROWS = 100_000;

    @Param("4")
    public int clients;

    @Param("100")
    public int keys;

    /**
     * Whether the clients' rows overlap. If so, each transaction locks half of one common set of rows. Otherwise each
     * client has its own set. With shared locks, all clients lock the same set.
     */
    @Param("false")
    public boolean overlapping;

    @Param("false")
    public boolean shared;

    private Locking locking;
    private Exclusion exclusion;
    private RowLockMode mode;
    private long capacity;

    @Override
    void prepare() throws SQLException {
        capacity = server.lockTableRoom();
        refuseToFill();
        mode = shared ? RowLockMode.FOR_SHARE : RowLockMode.FOR_UPDATE;
        int locked = shared ? keys : overlapping ? 2 * keys : clients * keys;
        Accounts.create(server, Math.max(ROWS, locked));
        exclusion = new Exclusion(locked + 1);
        atEnd(exclusion::check);
        if (shared && (strategy.isRowlock() || strategy == Strategy.NONE)) {
            atEnd(this::checkHolds);
        }
        locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        threads.add("client", clients, this::client);
    }

    /**
     * Rejects parameters that would fill the lock table, because a full lock table makes all sessions of the server
     * fail.
     */
    private void refuseToFill() {
        if (strategy.isAdvisory() && (long) clients * keys > capacity) {
            throw new IllegalArgumentException(
                    clients + " clients with " + keys + " advisory locks each are " + (long) clients * keys
                            + ", and this server's lock table has room for " + capacity
                            + ". Give fewer clients or keys, or raise max_locks_per_transaction.");
        }
    }

    private Clients.Operation client(int number) {
        Latency lock = meter.latency("lock");
        Meter.Average perKey = meter.average("perKey");
        int first = shared || overlapping ? 1 : number * keys + 1;
        List<Integer> range = new ArrayList<>(IntStream.range(first, first + (overlapping ? 2 * keys : keys))
                .boxed()
                .toList());
        long[] sampled = {System.nanoTime() - SAMPLE_NANOS};
        return () -> {
            Collections.shuffle(range, ThreadLocalRandom.current());
            List<Integer> aids = List.copyOf(range.subList(0, keys));
            long start = System.nanoTime();
            boolean sample = start - sampled[0] >= SAMPLE_NANOS;
            lock.begin();
            locking.transaction(aids, mode, connection -> {
                lock.end();
                aids.forEach(aid -> exclusion.enter(aid, shared));
                if (sample) {
                    sample(connection);
                }
                aids.forEach(aid -> exclusion.leave(aid, shared));
            });
            if (sample) {
                sampled[0] = System.nanoTime();
            } else {
                perKey.add(System.nanoTime() - start, keys * TimeUnit.MICROSECONDS.toNanos(1));
            }
            return 1;
        };
    }

    /**
     * Checks that two transactions can share all rows, and that a third cannot lock a row exclusively after the first
     * ends.
     */
    private void checkHolds() throws SQLException {
        List<Integer> aids = IntStream.rangeClosed(1, keys).boxed().toList();
        try (Connection first = server.begin();
                Connection second = server.begin();
                Connection other = server.begin()) {
            locking.lockAll(first, aids, mode);
            // If sharing is broken, the timeout ends the wait of the second transaction.
            Jdbc.execute(second, "set local lock_timeout = '10s'");
            locking.lockAll(second, aids, mode);
            first.rollback();
            TransactionLocks outsider = locking.locks().in(other);
            for (LockKey key : locking.keys(aids)) {
                if (outsider.tryLock(forUpdate(key)).isHeld()) {
                    throw new InvariantViolation(
                            key + " was locked FOR UPDATE while another transaction holds it FOR SHARE");
                }
            }
            second.rollback();
        }
    }

    /**
     * Counts the session's entries in the shared lock table. Fast-path locks are excluded, because each session keeps
     * them in its own slots.
     */
    private void sample(Connection connection) throws SQLException {
        long entries =
                Jdbc.number(connection, "select count(*) from pg_locks where pid = pg_backend_pid() and not fastpath");
        meter.average("lockTable").add(entries, 1);
        meter.average("lockTableFilled").add(100 * entries * clients, capacity);
    }
}
