package org.rowlock.jdbc.internal.wrap;

import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.StatementMember;
import org.rowlock.jdbc.internal.forward.ForwardingStatement;

/**
 * A statement that a group has executed. The statement has its own update count, but its warnings are the warnings of
 * the whole transaction. The count and the warnings can be read even after the statement is closed.
 */
final class GroupedStatement extends ForwardingStatement {
    private long count;
    private @Nullable SQLWarning warnings;

    GroupedStatement(Statement statement, StatementMember.Result result) {
        super(statement);
        this.count = result.count();
        this.warnings = result.warnings();
    }

    @Override
    public int getUpdateCount() {
        return (int) count;
    }

    @Override
    public long getLargeUpdateCount() {
        return count;
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return warnings;
    }

    @Override
    public void clearWarnings() {
        warnings = null;
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        count = -1;
        return super.getMoreResults();
    }

    @Override
    public boolean getMoreResults(int current) throws SQLException {
        count = -1;
        return super.getMoreResults(current);
    }
}
