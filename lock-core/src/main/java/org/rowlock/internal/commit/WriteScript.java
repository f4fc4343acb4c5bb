package org.rowlock.internal.commit;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.request.WriteResult;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.sql.WriteSql;

/** Executions of writes, and maybe the COMMIT behind them, as the statements of one flush. */
final class WriteScript {
    private final List<Execution> executions = new ArrayList<>(2);
    private @Nullable Ending ending;

    /** One execution of a write, and where its results go. */
    private record Execution(
            Write<?> write, WriteForm form, int number, List<@Nullable Object> binds, WriteResult<?> result) {
        /** Whether the server checks the count. */
        boolean isChecked() {
            return write.isExpecting() && form.changes();
        }

        String sql() {
            String sql = withoutSemicolon(write.sql());
            return isChecked()
                    ? WriteSql.checked(sql, form.returning(), write.expected(), number, write.mapper() != null)
                    : sql;
        }
    }

    <T> void add(Write<T> write, WriteForm form, int number, List<@Nullable Object> binds, WriteResult<T> result) {
        executions.add(new Execution(write, form, number, binds, result));
    }

    void end(Ending last) {
        ending = last;
    }

    int size() {
        return executions.size();
    }

    String sql() {
        StringBuilder sql = new StringBuilder(256);
        for (Execution execution : executions) {
            // The line break ends a comment that the statement may end with.
            sql.append(sql.isEmpty() ? "" : "\n;").append(execution.sql());
        }
        if (ending != null) {
            for (String statement : ending.statements()) {
                sql.append(sql.isEmpty() ? "" : "\n;").append(statement);
            }
        }
        return sql.toString();
    }

    /** The driver leaves out a semicolon at the end of a text; in the middle of one it would not. */
    private static String withoutSemicolon(String sql) {
        int end = sql.length();
        while (end > 0 && (sql.charAt(end - 1) == ';' || Character.isWhitespace(sql.charAt(end - 1)))) {
            end--;
        }
        return sql.substring(0, end);
    }

    List<@Nullable Object> binds() {
        List<@Nullable Object> binds = new ArrayList<>();
        for (Execution execution : executions) {
            binds.addAll(execution.binds());
            if (execution.isChecked()) {
                binds.add(WriteSql.mark());
            }
        }
        if (ending != null) {
            binds.addAll(ending.binds());
        }
        return binds;
    }

    /**
     * Whether the server is not to keep what it prepares: of a statement that is executed several times it would keep as
     * many, and for a value without a type the driver waits in front of a statement that returns rows.
     */
    boolean isOneShot() {
        boolean rows = false;
        for (int i = 0; i < executions.size(); i++) {
            rows |= executions.get(i).write().mapper() != null;
            if (i > 0 && executions.get(i).write() == executions.get(i - 1).write()) {
                return true;
            }
        }
        return rows && LockQuery.hasUntyped(binds());
    }

    /** Reads what each execution returned. Leaves the statement at the last result of the end, if there is one. */
    void read(PreparedStatement statement, boolean firstIsRows) throws SQLException {
        boolean isRows = firstIsRows;
        for (Execution execution : executions) {
            if (isRows) {
                readRows(statement, execution);
            } else {
                execution.result().count(Math.max(0, statement.getLargeUpdateCount()));
            }
            isRows = statement.getMoreResults();
        }
        if (ending != null) {
            ending.read(statement, isRows);
        }
    }

    private static void readRows(PreparedStatement statement, Execution execution) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            if (execution.isChecked()) {
                readChecked(row, execution);
                return;
            }
            long count = 0;
            while (row.next()) {
                count++;
                map(execution.write(), execution.result(), row);
            }
            execution.result().count(count);
        }
    }

    /** The count is in the last column; where it is zero the only row is none of the write's. */
    private static void readChecked(ResultSet row, Execution execution) throws SQLException {
        int last = row.getMetaData().getColumnCount();
        row.next();
        long count = row.getLong(last);
        execution.result().count(count);
        for (boolean more = count > 0; more; more = row.next()) {
            map(execution.write(), execution.result(), row);
        }
    }

    // A write's result is of its own type.
    @SuppressWarnings("unchecked")
    private static <T> void map(Write<T> write, WriteResult<?> result, ResultSet row) {
        RowMapper<T> mapper = write.mapper();
        if (mapper == null) {
            return;
        }
        WriteResult<T> own = (WriteResult<T>) result;
        try {
            own.row(mapper.map(row));
        } catch (SQLException e) {
            own.failed(e);
        } catch (RuntimeException e) {
            own.failed(new SQLException("The row mapper of a write failed, and the transaction is committed", e));
        }
    }
}
