package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.LockedQuery;
import org.rowlock.RowLocks;

/** Takes from the stock of a product, if there is enough. */
public final class StockDecrement {
    private final RowLocks locks;

    /** Stock that is locked by the given row locks. */
    public StockDecrement(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: take
    /** Takes a quantity, or returns false if the product has less, or does not exist. */
    public boolean take(DataSource dataSource, long product, int quantity) throws SQLException {
        // was: select quantity from stock where product = ? for no key update
        LockedQuery<Integer> stock = LockedQuery.of(
                "select quantity from stock where product = ?", found -> found.getInt("quantity"), product);
        return locks.inTransaction(dataSource, forNoKeyUpdate(row("stock", product)), stock, tx -> {
            List<Integer> left = tx.rows();
            if (left.isEmpty() || left.get(0) < quantity) {
                return false;
            }
            tx.atCommit()
                    .add("update stock set quantity = quantity - ? where product = ?", quantity, product)
                    .expectOneRow();
            return true;
        });
    }
    // end
}
