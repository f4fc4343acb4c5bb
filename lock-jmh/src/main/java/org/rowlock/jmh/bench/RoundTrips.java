package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forUpdate;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockedQuery;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;

/**
 * Lock, three updates and commit in so many flushes, each a round trip: for what is sent apart from the lock the row is
 * held for a round trip more. How much a hot row can do is 1 / the time it is held. In SQL by hand for each strategy,
 * and where Rowlock has a form of it, through the library.
 */
@ByHand(Strategy.FOR_UPDATE)
public class RoundTrips extends LockWorkload {
    private static final int UPDATES = 3;
    private static final int ALONE = 100;
    private static final int HOTTEST = 1;
    private static final String ROW_LOCK = Accounts.READ + " for update";
    private static final String ADVISORY_LOCK = "select pg_advisory_xact_lock(4711, ?)";
    private static final String ADVISORY_LOCK_AND_READ = ADVISORY_LOCK + "; " + Accounts.READ;

    @Param("90")
    public int clients;

    /** 5, 3, 2 or 1. */
    @Param("5")
    public int flushes;

    /** Whether it is Rowlock that sends it: 2 or 1, and 1 only with admission. */
    @Param("false")
    public boolean library;

    /** Whether the server is to refuse the commit where an update of the library's finds no row. */
    @Param("false")
    public boolean expecting;

    /** How many rows there are to pick from. */
    @Param("100")
    public int rows;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    private final LongAdder hottest = new LongAdder();
    private List<String> statements = List.of();
    private double heldSeconds;
    private long begun;

    @Override
    void prepare() throws SQLException {
        if ((admission || expecting) && !library) {
            throw new IllegalArgumentException(
                    "SQL by hand has neither admission nor expectOneRow; give" + " -p library=true too.");
        }
        if (library && (flushes > 2 || (flushes == 1 && !admission))) {
            throw new IllegalArgumentException("Rowlock sends it in 2 round trips, or with admission in 1, and not in "
                    + flushes + "; give -p flushes=2,1 and -p admission=true, or leave out library.");
        }
        statements = statements();
        atEnd(Accounts.create(server, rows)::check);
        HikariDataSource pool = server.pool(clients);
        heldSeconds = heldAlone(pool);
        Locking locking = library ? locking(pool, Accounts.TABLE, Accounts.ID) : null;
        addClients(clients, rows, zipf, aid -> {
            if (locking != null) {
                run(locking, pool, aid);
            } else {
                try (Connection connection = pool.getConnection()) {
                    run(connection, aid);
                }
            }
            hottest.add(aid == HOTTEST ? 1 : 0);
        });
    }

    /** What is sent at a time, the commit among it where it is not alone. */
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
        String updates = String.join("; ", Accounts.ADD, Accounts.DOUBLE, Accounts.TAKE);
        List<String> all = switch (flushes) {
            case 5 -> List.of(lock, Accounts.ADD, Accounts.DOUBLE, Accounts.TAKE);
            case 3 -> List.of(lock, updates);
            case 2 -> List.of(lock, updates + "; commit");
            case 1 -> List.of(lock + "; " + updates + "; commit");
            default ->
                throw new IllegalArgumentException("The transaction has 5, 3, 2 or 1 round trips, and not " + flushes
                        + "; give -p flushes=5,3,2,1.");
        };
        // Without a lock the first is empty.
        return all.stream()
                .map(sql -> sql.startsWith("; ") ? sql.substring(2) : sql)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    /** Lock, updates and commit. */
    void run(Connection connection, int aid) throws SQLException {
        if (statements.isEmpty()) {
            statements = statements();
        }
        long updated = 0;
        for (String sql : statements) {
            updated += send(connection, sql, aid);
        }
        if (flushes >= 3) {
            connection.commit();
        }
        checkUpdated(aid, updated);
    }

    /** The same through the library. */
    void run(Locking locking, DataSource pool, int aid) throws SQLException {
        RowLocks locks = locking.locks();
        if (flushes == 1) {
            inOne(locks, pool, aid, expecting);
        } else if (admission) {
            inTwo(locks, pool, aid, expecting);
        } else {
            try (Connection connection = pool.getConnection()) {
                TransactionLocks tx = locks.in(connection);
                tx.lockAndQuery(forUpdate(locking.key(aid)), LockedQuery.of(Accounts.READ, row -> row.getLong(1), aid));
                CommitWrites writes = new CommitWrites();
                List<CommitWrite<Void>> updates = addTo(writes, aid, expecting);
                tx.commit(writes);
                check(updates, aid);
            }
        }
    }

    /** All of it in one flush. */
    static void inOne(RowLocks locks, DataSource pool, int aid, boolean expecting) throws SQLException {
        CommitWrites writes = new CommitWrites();
        List<CommitWrite<Void>> updates = addTo(writes, aid, expecting);
        locks.execute(pool, forUpdate(LockKey.row(Accounts.TABLE, aid)), writes);
        check(updates, aid);
    }

    /** Lock and read in one flush, the updates with the commit in another. */
    static void inTwo(RowLocks locks, DataSource pool, int aid, boolean expecting) throws SQLException {
        LockedQuery<Long> read = LockedQuery.of(Accounts.READ, row -> row.getLong(1), aid);
        List<CommitWrite<Void>> updates = locks.inTransaction(
                pool, forUpdate(LockKey.row(Accounts.TABLE, aid)), read, tx -> addTo(tx.atCommit(), aid, expecting));
        check(updates, aid);
    }

    private static List<CommitWrite<Void>> addTo(CommitWrites writes, int aid, boolean expecting) {
        List<CommitWrite<Void>> updates = new ArrayList<>(UPDATES);
        for (String sql : List.of(Accounts.ADD, Accounts.DOUBLE, Accounts.TAKE)) {
            CommitWrite<Void> update = writes.add(sql, aid);
            updates.add(expecting ? update.expectOneRow() : update);
        }
        return updates;
    }

    /** Once they are committed. */
    private static void check(List<CommitWrite<Void>> updates, int aid) {
        checkUpdated(aid, updates.stream().mapToLong(CommitWrite::count).sum());
    }

    private static void checkUpdated(int aid, long times) {
        if (times != UPDATES) {
            throw new InvariantViolation(
                    "account " + aid + " was to be updated " + UPDATES + " times, and was " + times + " times");
        }
    }

    /** Gives how many rows it changed. */
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
     * From the lock's answer to the commit's: so long the server holds it, as both answers take the same way, but for
     * the read in the lock's own flush, if there is one. With all in one flush there is one answer, and the way is
     * taken off.
     */
    private double heldAlone(HikariDataSource pool) throws SQLException {
        List<Long> nanos = new ArrayList<>();
        try (Connection connection = pool.getConnection()) {
            for (int i = 0; i < 2 * ALONE; i++) {
                long started = System.nanoTime();
                send(connection, statements.get(0), HOTTEST);
                long locked = System.nanoTime();
                for (String sql : statements.subList(1, statements.size())) {
                    send(connection, sql, HOTTEST);
                }
                if (flushes >= 3) {
                    connection.commit();
                }
                long wayNanos = (long) (network.roundTripMillis() * 1e6);
                nanos.add(flushes == 1 ? locked - started - wayNanos : System.nanoTime() - locked);
            }
        }
        List<Long> warm = new ArrayList<>(nanos.subList(ALONE, nanos.size()));
        Collections.sort(warm);
        return Math.max(1, warm.get(ALONE / 2)) / 1e9;
    }

    @Override
    void begins(boolean measured) {
        hottest.reset();
        begun = System.nanoTime();
    }

    @Override
    void ends(boolean measured, double perSecond) {
        double rate = hottest.sum() / ((System.nanoTime() - begun) / 1e9);
        meter.gauge("limit", 1 / heldSeconds, "1/s");
        meter.gauge("limit.share", 100 * rate * heldSeconds, "%");
    }
}
