package org.rowlock.examples;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.LockedQuery;
import org.rowlock.RowLocks;

/** A row that is locked, or made and locked where it is not there yet; with each strategy. */
public final class Counters {
    private final RowLocks locks;

    /** Counters that are locked by the given row locks. */
    public Counters(RowLocks locks) {
        this.locks = locks;
    }

    /** Locks a counter until the end of the transaction, which is READ COMMITTED, and returns its value. */
    public long lockOrCreate(Connection connection, String name) throws SQLException {
        // snippet: create
        while (true) {
            List<Long> found = locks.in(connection)
                    .lockAndQuery(
                            forUpdate(LockKey.row("counter", name)),
                            LockedQuery.of("select value from counter where name = ?", row -> row.getLong(1), name));
            if (!found.isEmpty()) {
                return found.get(0); // one round trip, but for the first time
            }
            // Waits for another transaction that inserts it. From PostgreSQL 19 on one statement does it all:
            // insert .. on conflict (name) do select for update returning value
            try (PreparedStatement insert = connection.prepareStatement(
                    "insert into counter (name, value) values (?, 0) on conflict (name) do nothing")) {
                insert.setString(1, name);
                insert.executeUpdate();
            }
        }
        // end
    }
}
