package org.rowlock.jdbc.internal.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.row.StatementPlan;

/**
 * One of JDBC's ways to execute a statement. Its reader reads the result if Rowlock has sent the statement in another
 * way: with a lock in front, or in a group.
 *
 * @param rows whether it is for statements that return rows
 * @param counts whether it is for statements that return a number of rows
 * @param reader reads the result of a statement that was sent
 */
record Execution<T>(boolean rows, boolean counts, Reader<T> reader) {
    static final Execution<ResultSet> QUERY = new Execution<>(true, false, Statement::getResultSet);
    static final Execution<Boolean> ANY = new Execution<>(true, true, statement -> statement.getUpdateCount() < 0);
    static final Execution<Integer> UPDATE = new Execution<>(false, true, Statement::getUpdateCount);
    static final Execution<Long> LARGE_UPDATE = new Execution<>(false, true, Statement::getLargeUpdateCount);

    /** Reads a result. */
    interface Reader<T> {
        T read(Statement statement) throws SQLException;
    }

    /** Whether the result can be read in this way; if not, the driver refuses the statement. */
    boolean fits(@Nullable StatementPlan plan) {
        return plan != null && (plan.returnsRows() ? rows : counts);
    }
}
