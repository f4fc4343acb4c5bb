package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.rowlock.CommitWrites;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;

/** Pays from a hot account, with FOR UPDATE by hand or with Rowlock. */
public final class HotAccount {
    private static final String READ = "select balance from account where id = ?";
    private static final String ADD = "update account set balance = balance + ? where id = ?";
    private static final String NOTE = "insert into entry (account, amount) values (?, ?)";

    private final RowLocks locks;

    /** Creates a program that locks with the given row locks. */
    public HotAccount(RowLocks locks) {
        this.locks = locks;
    }

    /**
     * Pays by hand. Each statement takes a round trip. The row is locked during three round trips: two writes and the
     * COMMIT.
     */
    public boolean payByHand(DataSource dataSource, long id, long amount) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                boolean covered = balanceForUpdate(connection, id) >= amount;
                if (covered) {
                    Sql.update(connection, ADD, -amount, id);
                    Sql.update(connection, NOTE, id, -amount);
                }
                connection.commit();
                return covered;
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    // snippet: at-commit
    /** Locks and reads in one round trip, writes and commits in another. */
    public boolean pay(long id, long amount) throws SQLException {
        return locks.lock(forUpdate(row("account", id)))
                .read(READ, Long.class, id)
                .inTransaction(tx -> {
                    if (tx.row() < amount) {
                        return false;
                    }
                    tx.atCommit(ADD, -amount, id).expectOneRow(); // or nothing is stored
                    tx.atCommit(NOTE, id, -amount);
                    return true;
                });
    }
    // end

    // snippet: execute
    /** Locks, writes and commits in one round trip, because there is nothing to read. */
    public void deposit(long id, long amount) throws SQLException {
        CommitWrites writes = new CommitWrites();
        writes.add(ADD, amount, id).expectOneRow();
        writes.add(NOTE, id, amount);
        locks.lock(forUpdate(row("account", id))).execute(writes);
    }
    // end

    /** Pays in the application's own transaction. */
    public boolean pay(Connection connection, long id, long amount) throws SQLException {
        // snippet: own
        TransactionLocks tx = locks.in(connection);
        long balance = tx.lockAndRead(forUpdate(row("account", id)), READ, Long.class, id)
                .get(0);
        CommitWrites writes = new CommitWrites();
        if (balance >= amount) {
            writes.add(ADD, -amount, id).expectOneRow();
            writes.add(NOTE, id, -amount);
        }
        tx.commit(writes); // in place of connection.commit()
        // end
        return balance >= amount;
    }

    private static long balanceForUpdate(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(READ + " for update")) {
            statement.setLong(1, id);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("There is no account " + id);
                }
                return row.getLong(1);
            }
        }
    }
}
