package org.rowlock.jdbc.internal.wrap;

import java.sql.CallableStatement;

/** A call, which is handed on as it is: what it locks nobody knows. */
final class RowlockCallableStatement extends ForwardingCallableStatement {
    RowlockCallableStatement(RowlockConnection connection, CallableStatement delegate, String sql) {
        super(connection, delegate, sql);
    }
}
