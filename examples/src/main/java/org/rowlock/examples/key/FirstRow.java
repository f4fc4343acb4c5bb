package org.rowlock.examples.key;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.RowLocks;

/** Creates a row once for several nodes: the first node to start inserts the row, and all nodes read the same row. */
public final class FirstRow {
    private final RowLocks locks;

    /** Creates a program that locks with the given row locks. */
    public FirstRow(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: first
    /** Returns the secret of a tenant. If there is none, the given secret is stored and returned. */
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
