package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.bench.Items.Item;

/**
 * Transactions that change three rows each, guarded as the variant has it. What was in vain because somebody else was
 * faster is tried again, so many times. Thread-safe; one for all threads.
 */
final class WriteMix {
    private final Locking locking;
    private final DataSource pool;
    private final Items items;
    private final int mostRetries;
    private final Exclusion exclusion;
    private final LongAdder commits = new LongAdder();
    private final Meter.Average retriesPerTransaction;
    private final Meter.Average failedPerTransaction;

    WriteMix(Locking locking, DataSource pool, Items items, Meter meter, int mostRetries) {
        this.locking = locking;
        this.pool = pool;
        this.items = items;
        this.mostRetries = mostRetries;
        this.exclusion = new Exclusion(items.rows() + 1);
        this.retriesPerTransaction = meter.average("retries");
        this.failedPerTransaction = meter.average("failedCommits");
    }

    /** What is done to a row. */
    enum Change {
        WRITE_INDEXED,
        WRITE_PLAIN,
        REINSERT
    }

    /**
     * Three rows, and what is done to each. In the order of their ids: a program that writes several rows must have an
     * order, or it deadlocks under any strategy.
     */
    record Plan(List<Integer> ids, List<Change> changes) {}

    /** Somebody else was faster: the transaction is to be rolled back and tried again. */
    private static final class Conflict extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Conflict() {
            // Without a stack trace, since it happens all the time.
            super("A row has changed since it was read", null, false, false);
        }
    }

    /**
     * Commits one transaction, however often that takes. It is never given up for good: a client that drops contended
     * work for easier work would look fast. Where an application would give up, that is counted.
     *
     * @param latency takes the time of the transaction with all its retries
     */
    void commit(Plan plan, Latency latency) throws SQLException {
        latency.begin();
        int failed = 0;
        while (!attempt(plan)) {
            failed++;
        }
        latency.end();
        commits.increment();
        retriesPerTransaction.add(failed, 1);
        failedPerTransaction.add(failed / (mostRetries + 1), 1);
    }

    private boolean attempt(Plan plan) throws SQLException {
        try {
            locking.admitted(locking.keys(plan.ids()), RowLockMode.FOR_UPDATE, () -> transact(plan));
            return true;
        } catch (Conflict e) {
            return false;
        }
    }

    private void transact(Plan plan) throws SQLException {
        Locking.inTransaction(pool, connection -> {
            if (locking.strategy() == Strategy.OPTIMISTIC) {
                change(connection, plan);
                return;
            }
            lock(connection, plan.ids());
            plan.ids().forEach(exclusion::enter);
            try {
                change(connection, plan);
            } finally {
                plan.ids().forEach(exclusion::leave);
            }
        });
    }

    private void lock(Connection connection, List<Integer> ids) throws SQLException {
        List<LockKey> absent = locking.lockAll(connection, ids, RowLockMode.FOR_UPDATE);
        if (absent.isEmpty()) {
            return;
        }
        if (locking.strategy() != Strategy.ROW) {
            exclusion.violated(absent + " is locked, and still it was not there");
        }
        // A row lock waits for a row version. If its holder deletes the row, and inserts it again, the lock comes back
        // with nothing, and the transaction has to begin again.
        throw new Conflict();
    }

    private void change(Connection connection, Plan plan) throws SQLException {
        boolean versioned = locking.strategy() == Strategy.OPTIMISTIC;
        Map<Integer, Item> read = Items.read(connection, plan.ids());
        for (int i = 0; i < plan.ids().size(); i++) {
            Item item = read.get(plan.ids().get(i));
            boolean changed = item != null
                    && switch (plan.changes().get(i)) {
                        case WRITE_INDEXED -> Items.writeIndexed(connection, item, versioned);
                        case WRITE_PLAIN -> Items.writePlain(connection, item, versioned);
                        case REINSERT -> Items.reinsert(connection, item, versioned);
                    };
            if (!changed) {
                if (!versioned) {
                    exclusion.violated("row " + plan.ids().get(i)
                            + " was to be changed under its lock, and somebody else had" + " deleted it");
                }
                throw new Conflict();
            }
        }
    }

    /** Fails if the variant has ever let two change the same row at a time. */
    void check() throws SQLException {
        exclusion.check();
        items.check(commits.sum());
    }
}
