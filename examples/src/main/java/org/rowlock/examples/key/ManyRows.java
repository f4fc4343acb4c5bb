package org.rowlock.examples.key;

import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import org.rowlock.RowLocks;
import org.rowlock.examples.Sql;

/** Changes many rows, after one call has locked all of the rows in one order. */
public final class ManyRows {
    private final RowLocks locks;

    /** Creates a program that locks with the given row locks. */
    public ManyRows(RowLocks locks) {
        this.locks = locks;
    }

    /** Adds an amount to each account. */
    public void add(Connection connection, Map<Long, Long> amounts) throws SQLException {
        // snippet: batch
        locks.in(connection).lock(forNoKeyUpdate(rows("account", amounts.keySet())));
        // The order of the map no longer matters.
        Sql.batch(
                connection,
                "update account as a set balance = a.balance + v.amount"
                        + " from (values (?::bigint, ?::bigint)) as v (id, amount) where a.id = v.id",
                amounts);
        // end
    }

    /**
     * Closes accounts with one statement. Without the earlier lock, the statement would lock the rows in the order of
     * its plan.
     */
    public void close(Connection connection, Set<Long> ids) throws SQLException {
        // snippet: in
        locks.in(connection).lock(forNoKeyUpdate(rows("account", ids)));
        Sql.update(connection, "update account set balance = 0 where id = any (?)", (Object) ids.toArray(Long[]::new));
        // end
    }
}
