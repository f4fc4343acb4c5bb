package org.rowlock.jdbc.internal.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.jdbc.internal.forward.ForwardingResultSet;

/** A result whose {@code getStatement} returns the wrapped statement. */
final class RowlockResultSet extends ForwardingResultSet {
    private final RowlockStatement statement;

    RowlockResultSet(RowlockStatement statement, ResultSet delegate) {
        super(delegate);
        this.statement = statement;
    }

    @Override
    protected void unwrapped() throws SQLException {
        statement.unwrapped();
    }

    @Override
    protected void usesRow() throws SQLException {
        statement.usesRow();
    }

    @Override
    public void close() throws SQLException {
        super.close();
        statement.resultClosed();
    }

    @Override
    public Statement getStatement() throws SQLException {
        // The call throws the driver's exception if the result is closed.
        super.getStatement();
        return statement;
    }
}
