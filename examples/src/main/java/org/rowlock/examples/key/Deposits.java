package org.rowlock.examples.key;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.SQLException;
import java.util.UUID;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.RowLocks;

/**
 * Makes each deposit once, even if the connection is lost during the commit. A deposit has an id, and each call first
 * checks whether this id is already stored.
 */
public final class Deposits {
    private final RowLocks locks;

    /** Creates deposits that lock with the given row locks. */
    public Deposits(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: unknown
    /**
     * Makes a deposit. If the outcome of the commit is unknown, the second attempt waits for the lock, and finds the
     * deposit or makes it.
     */
    public void deposit(UUID id, long account, long amount) throws SQLException {
        try {
            once(id, account, amount);
        } catch (CommitOutcomeUnknownException e) {
            once(id, account, amount);
        }
    }

    private void once(UUID id, long account, long amount) throws SQLException {
        locks.lock(forUpdate(row("account", account)))
                .read("select 1 from deposit where id = ?", Integer.class, id)
                .useTransaction(tx -> {
                    if (tx.rows().isEmpty()) {
                        tx.atCommit("insert into deposit (id, account, amount) values (?, ?, ?)", id, account, amount);
                        tx.atCommit("update account set balance = balance + ? where id = ?", amount, account)
                                .expectOneRow();
                    }
                });
    }
    // end
}
