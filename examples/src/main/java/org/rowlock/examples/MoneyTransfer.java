package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.LockRequest;
import org.rowlock.LockedQuery;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;

/** Moves money between accounts: a FOR UPDATE, replaced. */
public final class MoneyTransfer {
    // snippet: transfer
    private final RowLocks locks = RowLocks.create(); // one per application

    /** Moves an amount, or returns false if the balance does not cover it. */
    public boolean transfer(DataSource dataSource, long from, long to, long amount) throws SQLException {
        // was: select id, balance from account where id in (?, ?) order by id for update
        LockRequest both = forUpdate(rows("account", List.of(from, to))).requireRow();
        LockedQuery<Long> balance =
                LockedQuery.of("select balance from account where id = ?", found -> found.getLong(1), from);
        // Locks and read take one round trip, writes and COMMIT another.
        return locks.inTransaction(dataSource, both, balance, tx -> {
            boolean covered = tx.rows().get(0) >= amount;
            if (covered) {
                tx.atCommit()
                        .add("update account set balance = balance + ? where id = ?", -amount, from)
                        .and(amount, to);
            }
            return covered;
        });
    }
    // end

    /** Adds to a balance, and returns the new one. A thread that waits holds no connection. */
    public long deposit(DataSource dataSource, long id, long amount) throws SQLException {
        // snippet: admission
        LockRequest account = forUpdate(row("account", id)).requireRow();
        LockedQuery<Long> balance =
                LockedQuery.of("select balance from account where id = ?", found -> found.getLong(1), id);
        // Lock and read take one round trip, the update and COMMIT another.
        return locks.inTransaction(dataSource, account, balance, tx -> {
            long sum = tx.rows().get(0) + amount;
            tx.atCommit().add("update account set balance = ? where id = ?", sum, id);
            return sum;
        });
        // end
    }

    /** Adds interest unless the account stays busy for 200 ms, and notes either in the same transaction. */
    public boolean addInterest(Connection connection, long id, long amount) throws SQLException {
        TransactionLocks tx = locks.in(connection);
        // snippet: bounded
        // An account that does not exist is an error, and not busy.
        boolean locked = tx.tryLock(forUpdate(row("account", id))
                        .atMost(Duration.ofMillis(200))
                        .requireRow())
                .isLocked();
        if (locked) {
            add(connection, id, amount);
        }
        note(connection, id, locked ? "interest added" : "busy"); // works in either case
        // end
        return locked;
    }

    /** Locks an account and reads its balance in one round trip. */
    public long lockedBalance(Connection connection, long id) throws SQLException {
        // snippet: lockAndQuery
        List<Long> balances = locks.in(connection)
                .lockAndQuery(
                        forUpdate(row("account", id)),
                        LockedQuery.of(
                                "select balance from account where id = ?", found -> found.getLong("balance"), id));
        // end
        return balances.get(0);
    }

    private static void add(Connection connection, long id, long amount) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("update account set balance = balance + ? where id = ?")) {
            statement.setLong(1, amount);
            statement.setLong(2, id);
            statement.executeUpdate();
        }
    }

    private static void note(Connection connection, long id, String text) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("insert into note (account, text) values (?, ?)")) {
            statement.setLong(1, id);
            statement.setString(2, text);
            statement.executeUpdate();
        }
    }
}
