package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.rowlock.RowLockMode;

/**
 * Transactions that hold a range of keys between them, each a part, with work that is not committed yet. Other
 * application instances than that of the clients, so none of them queues for admission. Not thread-safe.
 */
final class LossHolders implements AutoCloseable {
    /** What one call of RowLocks may ask for, unless it is configured otherwise. */
    private static final int MOST_KEYS = 1_000;

    private final LossLedger ledger;
    private final List<Holder> holders = new ArrayList<>();

    private record Holder(Connection connection, long transaction, List<Integer> keys) {}

    private LossHolders(LossLedger ledger) {
        this.ledger = ledger;
    }

    /** Locks the keys from 1 on. Returns when all are held. */
    static LossHolders lock(Locking locking, DataSource unpooled, LossLedger ledger, int keys) throws SQLException {
        LossHolders all = new LossHolders(ledger);
        boolean locked = false;
        try {
            for (int first = 1; first <= keys; first += MOST_KEYS) {
                List<Integer> part = IntStream.range(first, Math.min(first + MOST_KEYS, keys + 1))
                        .boxed()
                        .toList();
                all.holders.add(new Holder(unpooled.getConnection(), ledger.begin(), part));
                all.lock(locking, all.holders.get(all.holders.size() - 1));
            }
            locked = true;
            return all;
        } finally {
            if (!locked) {
                all.close();
            }
        }
    }

    private void lock(Locking locking, Holder holder) throws SQLException {
        Connection connection = holder.connection();
        connection.setAutoCommit(false);
        locking.lockAll(connection, holder.keys(), RowLockMode.FOR_UPDATE);
        holder.keys().forEach(key -> ledger.enter(key, holder.transaction()));
        Tokens.raise(connection, holder.keys().get(0), holder.transaction());
    }

    /** Asks for all commits, whether the server is still there or not. */
    void commit() throws SQLException {
        for (Holder holder : holders) {
            holder.keys().forEach(key -> ledger.leave(key, holder.transaction()));
            ledger.commitAsked(holder.transaction());
            try {
                holder.connection().commit();
                ledger.commitAcknowledged(holder.transaction());
            } catch (SQLException e) {
                if (!Outage.isLost(e)) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() {
        holders.forEach(holder -> Outage.closeBroken(holder.connection()));
        holders.clear();
    }
}
