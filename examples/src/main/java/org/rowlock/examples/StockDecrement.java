package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import java.sql.SQLException;
import org.rowlock.RowLocks;

/** Reduces the stock of a product, if there is enough. */
public final class StockDecrement {
    private final RowLocks locks;

    /** Creates a stock that is locked with the given row locks. */
    public StockDecrement(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: take
    /** Takes a quantity, or returns false if the product has less. An unknown product causes an exception. */
    public boolean take(long product, int quantity) throws SQLException {
        // was: select quantity from stock where product = ? for no key update
        return locks.lock(forNoKeyUpdate(row("stock", product)))
                .read("select quantity from stock where product = ?", Integer.class, product)
                .inTransaction(tx -> {
                    if (tx.rows().isEmpty() || tx.row() < quantity) {
                        return false;
                    }
                    tx.atCommit("update stock set quantity = quantity - ? where product = ?", quantity, product);
                    return true;
                });
    }
    // end
}
