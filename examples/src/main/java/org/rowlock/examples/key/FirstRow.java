package org.rowlock.examples.key;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.RowLocks;

/** The first row of several nodes: the first node to start creates it, and all nodes read the same. */
public final class FirstRow {
    private final RowLocks locks;

    /** A first row that is locked by the given row locks. */
    public FirstRow(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: first
    /** Returns the secret of a tenant, which is the given one only if there was none. */
    public String secret(Connection connection, String tenant, String ifAbsent) throws SQLException {
        return locks.in(connection)
                .lockAndRead(
                        forUpdate(row("secret", tenant))
                                .orInsert("insert into secret (tenant, secret) values (?, ?)", tenant, ifAbsent),
                        "select secret from secret where tenant = ?",
                        String.class,
                        tenant)
                .get(0);
    }
    // end
}
