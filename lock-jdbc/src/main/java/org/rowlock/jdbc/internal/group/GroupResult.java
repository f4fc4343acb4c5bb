package org.rowlock.jdbc.internal.group;

import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.forward.ForwardingStatement;

/**
 * A statement that a group has executed: its own count, and the warnings of the transaction, which are nobody's own.
 * What is stored can be read here even if the statement was closed meanwhile.
 */
public final class GroupResult extends ForwardingStatement {
    private long count;
    private @Nullable SQLWarning warnings;

    GroupResult(Statement statement, long count, @Nullable SQLWarning warnings) {
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
