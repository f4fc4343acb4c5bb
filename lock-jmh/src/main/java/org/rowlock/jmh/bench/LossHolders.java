package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.rowlock.LockKey;

/**
 * Transactions that hold a range of keys between them, each a part, with work that is not committed yet. Other application
 * instances than that of the clients, so none of them queues for admission. Not thread-safe.
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
    static LossHolders lock(Variant variant, DataSource unpooled, LossLedger ledger, int keys) throws SQLException {
        Transactions transactions = new Transactions(variant, unpooled);
        LossHolders all = new LossHolders(ledger);
        boolean locked = false;
        try {
            for (int first = 1; first <= keys; first += MOST_KEYS) {
                List<Integer> part = IntStream.range(first, Math.min(first + MOST_KEYS, keys + 1))
                        .boxed()
                        .toList();
                all.holders.add(new Holder(unpooled.getConnection(), ledger.begin(), part));
                all.lock(variant, transactions, all.holders.get(all.holders.size() - 1));
            }
            locked = true;
            return all;
        } finally {
            if (!locked) {
                all.close();
            }
        }
    }

    private void lock(Variant variant, Transactions transactions, Holder holder) throws SQLException {
        Connection connection = holder.connection();
        connection.setAutoCommit(false);
        List<LockKey> keys = holder.keys().stream().map(Tokens::key).toList();
        if (variant.method().isRowlock()) {
            transactions.locks().in(connection).lockAll(keys);
        } else {
            for (LockKey key : keys) {
                transactions.lock(connection, key);
            }
        }
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
