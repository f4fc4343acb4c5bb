package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.RowLocks;

/** Locks a row, and creates it first if it does not exist yet. This works with every strategy. */
public final class Counters {
    private final RowLocks locks;

    /** Creates counters that are locked with the given row locks. */
    public Counters(RowLocks locks) {
        this.locks = locks;
    }

    /** Locks a counter until the transaction ends, creates the counter if necessary, and returns its value. */
    public long lockOrCreate(Connection connection, String name) throws SQLException {
        // snippet: create
        List<Long> value = locks.in(connection)
                .lockAndRead(
                        forUpdate(row("counter", name))
                                .orInsert("insert into counter (name, value) values (?, 0)", name),
                        "select value from counter where name = ?",
                        Long.class,
                        name);
        // end
        return value.get(0);
    }
}
