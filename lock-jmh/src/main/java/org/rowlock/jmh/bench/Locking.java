package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;

/**
 * Locks rows of one table by a {@link Strategy}, as an application would. All threads of an application share one
 * instance, and therefore its admission queues. Thread-safe.
 */
final class Locking {
    private static final int BUDGET = 1_000_000;

    private final Strategy strategy;
    private final boolean admission;
    private final DataSource pool;
    private final String table;
    private final String column;
    private final RowLocks locks;

    /**
     * @param pool connections without autocommit; also identifies the database for the admission queues
     */
    Locking(Strategy strategy, boolean admission, DataSource pool, String table, String column) {
        this.strategy = strategy;
        this.admission = admission;
        this.pool = pool;
        this.table = table;
        this.column = column;
        this.locks = RowLocks.builder(pool)
                .strategy(strategy.lockStrategy())
                .lockBudget(BUDGET)
                .build();
    }

    DataSource pool() {
        return pool;
    }

    boolean isRowlock() {
        return strategy.isRowlock();
    }

    RowLocks locks() {
        return locks;
    }

    LockKey key(Object id) {
        return LockKey.row(table, id);
    }

    List<LockKey> keys(Collection<?> ids) {
        return ids.stream().map(this::key).toList();
    }

    /**
     * Runs the work in a transaction that first locks the row. With admission, the thread queues before it borrows a
     * connection.
     */
    void transaction(Object id, Jdbc.Work work) throws SQLException {
        transaction(() -> forUpdate(key(id)), connection -> lock(connection, id), work);
    }

    void transaction(Collection<?> ids, RowLockMode mode, Jdbc.Work work) throws SQLException {
        transaction(() -> LockRequest.of(mode, keys(ids)), connection -> lockAll(connection, ids, mode), work);
    }

    private void transaction(Supplier<LockRequest> request, Jdbc.Work lock, Jdbc.Work work) throws SQLException {
        if (admission && strategy.isRowlock()) {
            locks.lock(request.get()).useTransaction(tx -> work.run(tx.connection()));
        } else {
            Jdbc.inTransaction(pool, connection -> {
                lock.run(connection);
                work.run(connection);
            });
        }
    }

    /**
     * Queues for the keys if admission is on, and then runs the work. Workloads that begin their own transactions use
     * this method.
     */
    void admitted(List<LockKey> keys, RowLockMode mode, BenchmarkServer.Step work) throws SQLException {
        if (!admission) {
            work.run();
            return;
        }
        KeyEntries entries = LockAccess.of(locks).calls().admit(pool, LockRequest.of(mode, keys), null);
        try {
            work.run();
        } finally {
            entries.close();
        }
    }

    void lock(Connection connection, Object id) throws SQLException {
        switch (strategy) {
            case ROW, BOTH, ADVISORY -> {
                if (!locks.in(connection).lock(forUpdate(key(id))).isHeld()) {
                    throw new InvariantViolation("there was no row " + id + " of " + table + " to lock");
                }
            }
            case FOR_UPDATE -> Jdbc.run(connection, handForUpdate(), id);
            case IN_FRONT -> Jdbc.run(connection, "select pg_advisory_xact_lock(4711, ?);" + handForUpdate(), id, id);
            case NAIVE -> Jdbc.run(connection, "select pg_advisory_xact_lock(4711, ?)", id);
            case NONE -> {}
            default -> throw unknown();
        }
    }

    /**
     * Locks many rows in one call.
     *
     * @return whether all rows exist
     */
    boolean lockAll(Connection connection, Collection<?> ids, RowLockMode mode) throws SQLException {
        switch (strategy) {
            case ROW, BOTH, ADVISORY -> {
                return locks.in(connection)
                        .lock(LockRequest.of(mode, keys(ids)).allowAbsent())
                        .absentRows()
                        .isEmpty();
            }
            case FOR_UPDATE -> {
                List<Integer> found = Jdbc.list(
                        connection,
                        "select " + column + " from " + table + " where " + column + " = any(?) order by " + column
                                + (RequestParts.isShared(mode) ? " for share" : " for update"),
                        row -> row.getInt(1),
                        (Object) array(ids));
                return found.size() == ids.size();
            }
            // All callers lock in the order of the ids, so no deadlock occurs.
            case NAIVE ->
                Jdbc.run(
                        connection,
                        "select pg_advisory_xact_lock" + (RequestParts.isShared(mode) ? "_shared" : "")
                                + "(4711, k.id) from (select distinct id from unnest(?) as a(id) order by id offset"
                                + " 0) as k",
                        (Object) array(ids));
            case NONE -> {}
            default -> throw unknown();
        }
        return true;
    }

    /** Locks the first matching rows that no other transaction holds, as {@code FOR UPDATE SKIP LOCKED} does. */
    List<Integer> claim(Connection connection, String predicate, int limit) throws SQLException {
        if (strategy.isRowlock()) {
            Claim claim = Claim.from(table).where(predicate).orderBy(column).limit(limit);
            return locks.in(connection).claim(claim, row -> row.getInt(column));
        }
        if (strategy != Strategy.FOR_UPDATE && strategy != Strategy.NONE) {
            throw unknown();
        }
        String sql = "select " + column + " from " + table + " where " + predicate + " order by " + column + " limit "
                + limit
                + (strategy == Strategy.FOR_UPDATE ? " for update skip locked" : "");
        return Jdbc.list(connection, sql, row -> row.getInt(1));
    }

    private IllegalArgumentException unknown() {
        return new IllegalArgumentException(
                "There is no " + strategy + " in this benchmark. Give another one, such as -p strategy=ROW.");
    }

    private String handForUpdate() {
        return "select 1 from " + table + " where " + column + " = ? for update";
    }

    static Integer[] array(Collection<?> ids) {
        return ids.toArray(Integer[]::new);
    }
}
