package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.Sql;

/** Lock many rows in one statement, update them or not, commit. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE})
public class ManyKeys extends LockWorkload {
    /** So often a client looks at the lock table, beginning with its first transaction. */
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** So many that rows are found by index, as in a table in use. */
    private static final int ROWS = 100_000;

    @Param("4")
    public int clients;

    /** How many a transaction locks. */
    @Param("100")
    public int keys;

    /**
     * Whether all clients lock out of the same rows, twice as many as one transaction locks, or each out of its own.
     */
    @Param("false")
    public boolean overlapping;

    /** Whether the locked rows are also updated, or the lock guards no write. */
    @Param("false")
    public boolean update;

    private final LongAdder updates = new LongAdder();
    private Locking locking;
    private Exclusion exclusion;
    private long capacity;

    @Override
    void prepare() throws SQLException {
        capacity = server.lockTableRoom();
        refuseToFill();
        int locked = overlapping ? 2 * keys : clients * keys;
        Accounts accounts = Accounts.create(server, Math.max(ROWS, locked));
        exclusion = new Exclusion(locked + 1);
        atEnd(exclusion::check);
        atEnd(() -> accounts.checkSum(updates.sum()));
        locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        threads.add("client", clients, this::client);
    }

    /** A full table stops every session of the server. */
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
        int first = overlapping ? 1 : number * keys + 1;
        Integer[] range = new Integer[overlapping ? 2 * keys : keys];
        Arrays.setAll(range, i -> first + i);
        long[] sampled = {System.nanoTime() - SAMPLE_NANOS};
        return () -> {
            List<Integer> aids = pick(range);
            long start = System.nanoTime();
            boolean sample = start - sampled[0] >= SAMPLE_NANOS;
            lock.begin();
            locking.transaction(aids, RowLockMode.FOR_UPDATE, connection -> {
                lock.end();
                aids.forEach(exclusion::enter);
                if (update) {
                    update(connection, aids);
                }
                if (sample) {
                    sample(connection);
                }
                aids.forEach(exclusion::leave);
            });
            if (sample) {
                sampled[0] = System.nanoTime();
            } else {
                perKey.add(System.nanoTime() - start, keys * TimeUnit.MICROSECONDS.toNanos(1));
            }
            updates.add(update ? keys : 0);
            return 1;
        };
    }

    /** So many different ones of the range, in any order. */
    private List<Integer> pick(Integer[] range) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Integer[] picked = new Integer[keys];
        for (int i = 0; i < keys; i++) {
            int other = random.nextInt(i, range.length);
            Integer aid = range[other];
            range[other] = range[i];
            range[i] = aid;
            picked[i] = aid;
        }
        return List.of(picked);
    }

    private static void update(Connection connection, List<Integer> aids) throws SQLException {
        String sql = "update " + Accounts.TABLE + " set balance = balance + 1 where aid = any(?)";
        if (Sql.update(connection, sql, (Object) Locking.array(aids)) != aids.size()) {
            throw new InvariantViolation("not all of " + aids.size() + " accounts were there to be updated");
        }
    }

    /**
     * Without the weak locks of tables and the own virtual transaction, which each session keeps in slots of its own.
     */
    private void sample(Connection connection) throws SQLException {
        long entries =
                Sql.number(connection, "select count(*) from pg_locks where pid = pg_backend_pid() and not fastpath");
        meter.average("lockTable").add(entries, 1);
        meter.average("lockTableFilled").add(100 * entries * clients, capacity);
    }
}
