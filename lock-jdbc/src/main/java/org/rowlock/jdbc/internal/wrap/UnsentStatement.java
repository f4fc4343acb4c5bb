package org.rowlock.jdbc.internal.wrap;

import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.forward.ForwardingStatement;

/**
 * A statement that a group has executed, or that is kept for the COMMIT. The statement has its own update count. Its
 * warnings are the warnings of the whole group, and a kept statement has no warnings. The count and the warnings can be
 * read even after the statement is closed.
 */
final class UnsentStatement extends ForwardingStatement {
    private long count;
    private @Nullable SQLWarning warnings;

    UnsentStatement(Statement statement, long count, @Nullable SQLWarning warnings) {
        super(statement);
        this.count = count;
        this.warnings = warnings;
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
