package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The ways to lock row 1 of account, add to its balance, and commit. */
enum CommitWay {
    /** The commit is a flush of its own. */
    BARE,
    /** The write goes with the commit. */
    WRITES,
    /** Lock, write and commit are one flush. */
    EXECUTE;

    static final LockKey KEY = LockKey.row("account", 1);

    private static final String ADD = "update account set balance = balance + ? where id = ?";

    /**
     * Adds and commits.
     *
     * @param more statements to be done before
     */
    void add(RowLocks locks, DataSource dataSource, int amount, String... more) throws SQLException {
        if (this == EXECUTE) {
            CommitWrites writes = writes(more);
            writes.add(ADD, amount, 1).expectOneRow();
            locks.execute(dataSource, KEY, writes);
            return;
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            add(locks, connection, amount, more);
        }
    }

    /** The same in a transaction of the caller's. */
    void add(RowLocks locks, Connection connection, int amount, String... more) throws SQLException {
        locks.in(connection).lock(KEY);
        if (this != BARE) {
            CommitWrites writes = writes(more);
            writes.add(ADD, amount, 1).expectOneRow();
            locks.in(connection).commit(writes);
            return;
        }
        try (Statement statement = connection.createStatement()) {
            for (String sql : more) {
                statement.execute(sql);
            }
            statement.execute("update account set balance = balance + " + amount + " where id = 1");
        }
        locks.in(connection).commit(new CommitWrites());
    }

    private static CommitWrites writes(String... more) {
        CommitWrites writes = new CommitWrites();
        for (String sql : more) {
            writes.add(sql);
        }
        return writes;
    }
}
