package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.TransactionWork;
import org.rowlock.doctor.UserError;

/**
 * Runs work in a transaction that holds keys in any mode, where {@link Transactions} has one exclusive key. Thread-safe;
 * one for all threads of an application instance.
 */
final class LockedWork {
    private final Variant variant;
    private final Transactions transactions;

    /** For a variant read by {@link #variant}. */
    LockedWork(Variant variant, DataSource pool) {
        this.variant = variant;
        this.transactions = new Transactions(variant, pool);
    }

    /**
     * Reads one of Rowlock's, with or without admission.
     *
     * @throws UserError if it is another
     */
    static Variant variant(String text) {
        Variant variant = Variant.parse(text);
        // NONE is what the tests break the locks with.
        if (variant.pipelined() || !(variant.method().isRowlock() || variant.method() == Variant.Method.NONE)) {
            throw new UserError("The variant " + text + " was asked for, and this benchmark has no such form. Give ROW,"
                    + " BOTH or ADVISORY, each with or without +admission.");
        }
        return variant;
    }

    Transactions transactions() {
        return transactions;
    }

    /** Queues if the variant does, borrows a connection, begins, locks, works, commits, and returns the connection. */
    void run(List<LockKey> keys, RowLockMode mode, TransactionWork<?, SQLException> work) throws SQLException {
        if (variant.admission()) {
            transactions.locks().inTransaction(transactions.pool(), keys, mode, LockWait.forever(), connection -> {
                work.apply(connection);
                return null;
            });
            return;
        }
        transactions.inTransaction(connection -> {
            lock(connection, keys, mode);
            return work.apply(connection);
        });
    }

    /** Locks in the caller's transaction. */
    void lock(Connection connection, List<LockKey> keys, RowLockMode mode) {
        if (!variant.method().isRowlock()) {
            return;
        }
        if (keys.size() == 1) {
            transactions.locks().in(connection).lock(keys.get(0), mode);
        } else {
            transactions.locks().in(connection).lockAll(keys, mode, LockWait.forever());
        }
    }
}
