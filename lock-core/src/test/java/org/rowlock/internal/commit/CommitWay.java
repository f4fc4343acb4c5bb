package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;

/** The ways to lock row 1 of account, add to its balance, and commit. */
public enum CommitWay {
    /** The commit is a flush of its own. */
    BARE,
    /** The write goes with the commit. */
    WRITES,
    /** Lock, write and commit are one flush. */
    EXECUTE;

    public static final LockKey KEY = LockKey.row("account", 1);

    private static final String ADD = "update account set balance = balance + ? where id = ?";

    /**
     * Adds and commits.
     *
     * @param more statements to be done before
     */
    public void add(RowLocks locks, DataSource dataSource, int amount, String... more) throws SQLException {
        if (this == EXECUTE) {
            CommitWrites writes = writes(more);
            CommitWrite added = writes.add(ADD, amount, 1).expectOneRow();
            sent(added, () -> on(locks, dataSource).lock(forUpdate(KEY)).execute(writes));
            return;
        }
        try (Connection connection = begin(dataSource)) {
            add(locks, connection, amount, more);
        }
    }

    /** The same in a transaction of the caller's. */
    public void add(RowLocks locks, Connection connection, int amount, String... more) throws SQLException {
        locks.in(connection).lock(forUpdate(KEY));
        if (this != BARE) {
            CommitWrites writes = writes(more);
            CommitWrite added = writes.add(ADD, amount, 1).expectOneRow();
            sent(added, () -> locks.in(connection).commit(writes));
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

    /** Sends writes. */
    @FunctionalInterface
    public interface Sending {
        void send() throws SQLException;
    }

    /** Sends writes, which are not to be sent again if they may be stored, nor reported as not committed. */
    public static void sent(CommitWrite one, Sending sending) throws SQLException {
        try {
            sending.send();
        } catch (CommitOutcomeUnknownException e) {
            Throwable asked = catchThrowable(one::count);
            assertThat(asked == null ? e.getMessage() : asked.getMessage()).contains(e.getMessage());
            assertThatIllegalStateException().isThrownBy(sending::send).withMessageContaining("done twice");
            throw e;
        }
    }

    private static CommitWrites writes(String... more) {
        CommitWrites writes = new CommitWrites();
        for (String sql : more) {
            writes.add(sql);
        }
        return writes;
    }
}
