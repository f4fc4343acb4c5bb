package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;

/** Moves money between accounts, with Rowlock in place of FOR UPDATE. */
public final class MoneyTransfer {
    private final RowLocks locks;

    /** Creates transfers that lock with the given row locks. */
    public MoneyTransfer(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: transfer
    /** Moves an amount, or returns false if the balance does not cover it. */
    public boolean transfer(long from, long to, long amount) throws SQLException {
        // was: select id, balance from account where id in (?, ?) order by id for update
        return locks.lock(forUpdate(rows("account", from, to)))
                .read("select balance from account where id = ?", Long.class, from)
                .inTransaction(tx -> {
                    if (tx.row() < amount) {
                        return false;
                    }
                    tx.atCommit("update account set balance = balance - ? where id = ?", amount, from);
                    tx.atCommit("update account set balance = balance + ? where id = ?", amount, to);
                    return true;
                });
    }
    // end

    /** Adds to a balance, and returns the new balance. A thread that waits in the queue holds no connection. */
    public long deposit(long id, long amount) throws SQLException {
        // snippet: admission
        // Lock and read take one round trip, the update and COMMIT another.
        return locks.lock(forUpdate(row("account", id)))
                .read("select balance from account where id = ?", Long.class, id)
                .inTransaction(tx -> {
                    long sum = tx.row() + amount;
                    tx.atCommit("update account set balance = ? where id = ?", sum, id);
                    return sum;
                });
        // end
    }

    /** Adds interest unless the account stays busy for 200 ms, and notes the result in the same transaction. */
    public boolean addInterest(Connection connection, long id, long amount) throws SQLException {
        TransactionLocks tx = locks.in(connection);
        // snippet: bounded
        // A missing account causes an exception, and is not reported as busy.
        boolean locked = tx.tryLock(forUpdate(row("account", id)).atMost(Duration.ofMillis(200)))
                .isHeld();
        if (locked) {
            Sql.update(connection, "update account set balance = balance + ? where id = ?", amount, id);
        }
        // The transaction remains usable even if the account was busy.
        Sql.update(connection, "insert into note values (?, ?)", id, locked ? "interest added" : "busy");
        // end
        return locked;
    }

    /** Locks an account and reads its balance in one round trip. */
    public long lockedBalance(Connection connection, long id) throws SQLException {
        // snippet: lockAndRead
        List<Long> balances = locks.in(connection)
                .lockAndRead(forUpdate(row("account", id)), "select balance from account where id = ?", Long.class, id);
        // end
        return balances.get(0);
    }
}
