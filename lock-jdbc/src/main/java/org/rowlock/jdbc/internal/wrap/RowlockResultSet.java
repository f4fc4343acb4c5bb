package org.rowlock.jdbc.internal.wrap;

import java.sql.ResultSet;
import java.sql.Statement;
import org.rowlock.jdbc.internal.forward.ForwardingResultSet;

/** A result that leads back to the wrapper. */
final class RowlockResultSet extends ForwardingResultSet {
    private final Statement statement;

    private RowlockResultSet(Statement statement, ResultSet delegate) {
        super(delegate);
        this.statement = statement;
    }

    static ResultSet of(Statement statement, ResultSet delegate) {
        return delegate == null ? null : new RowlockResultSet(statement, delegate);
    }

    @Override
    public Statement getStatement() throws java.sql.SQLException {
        // As the driver: of a result that is closed nobody asks any more.
        super.getStatement();
        return statement;
    }
}
