package org.rowlock.jdbc.internal.wrap;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.row.StatementPlan;

/**
 * One of JDBC's methods that execute a statement. If Rowlock has sent the statement with a front lock or in a group,
 * the reader supplies the value that the method returns.
 *
 * @param rows whether the method accepts statements that return rows
 * @param counts whether the method accepts statements that return an update count
 * @param reader reads the result after the statement was sent
 */
record Execution<T>(boolean rows, boolean counts, Reader<T> reader) {
    static final Execution<ResultSet> QUERY = new Execution<>(true, false, Statement::getResultSet);
    static final Execution<Boolean> ANY = new Execution<>(true, true, statement -> statement.getUpdateCount() < 0);
    static final Execution<Integer> UPDATE = new Execution<>(false, true, Statement::getUpdateCount);
    static final Execution<Long> LARGE_UPDATE = new Execution<>(false, true, Statement::getLargeUpdateCount);

    interface Reader<T> {
        T read(Statement statement) throws SQLException;
    }

    /** Whether the method accepts the statement; if not, the driver throws an exception. */
    boolean fits(@Nullable StatementPlan plan) {
        return plan != null && (plan.shape().returnsRows() ? rows : counts);
    }
}
