package org.rowlock.jdbc.internal.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.forward.ForwardingResultSet;

/** A result whose {@code getStatement} returns the wrapped statement. */
final class RowlockResultSet extends ForwardingResultSet {
    private final RowlockStatement statement;

    private RowlockResultSet(RowlockStatement statement, ResultSet delegate) {
        super(delegate);
        this.statement = statement;
    }

    /** Wraps a result. Returns the previous wrapper if the driver has returned the previous result again. */
    static @Nullable RowlockResultSet of(
            RowlockStatement statement, @Nullable ResultSet delegate, @Nullable RowlockResultSet last) {
        if (delegate == null || (last != null && last.wraps(delegate))) {
            return delegate == null ? null : last;
        }
        return new RowlockResultSet(statement, delegate);
    }

    @Override
    protected void unwrapped() throws SQLException {
        statement.unwrapped();
    }

    @Override
    public void insertRow() throws SQLException {
        statement.changesRow();
        super.insertRow();
    }

    @Override
    public void updateRow() throws SQLException {
        statement.changesRow();
        super.updateRow();
    }

    @Override
    public void deleteRow() throws SQLException {
        statement.changesRow();
        super.deleteRow();
    }

    @Override
    public void refreshRow() throws SQLException {
        statement.used();
        super.refreshRow();
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
