package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;

/** Locks many rows in one call, exclusively or shared, and commits. */
public class ManyKeys extends LockWorkload {
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

    @Override
    void prepare() throws SQLException {
        refuseToFill();
        mode = shared ? RowLockMode.FOR_SHARE : RowLockMode.FOR_UPDATE;
        int locked = shared ? keys : overlapping ? 2 * keys : clients * keys;
        Accounts.create(server, Math.max(ROWS, locked));
        exclusion = new Exclusion(locked + 1);
        atEnd(exclusion::check);
        locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        atEnd(() ->
                checkExcludes(locking, IntStream.rangeClosed(1, keys).boxed().toList(), mode));
        threads.add("client", clients, this::client);
    }

    /**
     * Rejects parameters that would fill the lock table, because a full lock table makes all sessions of the server
     * fail.
     */
    private void refuseToFill() throws SQLException {
        long capacity = server.lockTableRoom();
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
        return () -> {
            Collections.shuffle(range, ThreadLocalRandom.current());
            List<Integer> aids = List.copyOf(range.subList(0, keys));
            long start = System.nanoTime();
            lock.begin();
            locking.transaction(aids, mode, connection -> {
                lock.end();
                aids.forEach(aid -> exclusion.enter(aid, shared));
                aids.forEach(aid -> exclusion.leave(aid, shared));
            });
            perKey.add(System.nanoTime() - start, keys * TimeUnit.MICROSECONDS.toNanos(1));
            return 1;
        };
    }
}
