package org.rowlock.internal.commit;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.Watch;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.request.WriteResult;
import org.rowlock.internal.sql.Kept;
import org.rowlock.internal.sql.ScriptStatement;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.sql.WriteSql;

/** Executions of writes, and maybe the COMMIT behind them, as the statements of one flush. */
final class WriteScript {
    /** Longer ones are made in loops, each of another length. */
    private static final int LONGEST_KEPT = 8;

    /** The texts of the others, of which an application has few different ones. */
    private static final Kept<Form, String> KEPT = new Kept<>();

    private final List<Execution> executions = new ArrayList<>(2);
    private final List<Returned> returned = new ArrayList<>(0);
    private @Nullable Ending ending;

    /** One execution of a write, and where its results go. */
    private record Execution(
            Write<?> write, Statement statement, List<@Nullable Object> binds, WriteResult<?> result) {}

    /** Rows of an execution that are not mapped yet. */
    private record Returned(Execution execution, ResultSet rows, long count) {}

    /**
     * All that the text of one execution depends on.
     *
     * @param expected how many rows the server is to check for, or {@link Write#ANY}
     */
    private record Statement(String sql, int number, long expected, boolean returning, boolean rows) {
        boolean isChecked() {
            return expected != Write.ANY;
        }

        String text() {
            String text = withoutSemicolon(sql);
            return isChecked() ? WriteSql.checked(text, returning, expected, number, rows) : text;
        }

        /** The driver leaves out a semicolon at the end of a text; in the middle of one it would not. */
        private static String withoutSemicolon(String sql) {
            int end = sql.length();
            while (end > 0 && (sql.charAt(end - 1) == ';' || Character.isWhitespace(sql.charAt(end - 1)))) {
                end--;
            }
            return sql.substring(0, end);
        }
    }

    /** All that the text of a script depends on. */
    private record Form(Watch watch, List<Statement> statements, List<String> ending) {
        String text() {
            Stream<String> own = Stream.concat(statements.stream().map(Statement::text), ending.stream());
            return Stream.concat(WaitSql.watch(watch).stream().map(ScriptStatement::sql), own)
                    // The line break ends a comment that a statement may end with.
                    .collect(Collectors.joining("\n;"));
        }
    }

    <T> void add(Write<T> write, WriteForm form, int number, List<@Nullable Object> binds, WriteResult<T> result) {
        long expected = form.changes() ? write.expected() : Write.ANY;
        Statement statement = new Statement(write.sql(), number, expected, form.returning(), write.mapper() != null);
        executions.add(new Execution(write, statement, binds, result));
    }

    void end(Ending last) {
        ending = last;
    }

    int size() {
        return executions.size();
    }

    /**
     * Its text.
     *
     * @param watch what goes in front
     */
    String sql(Watch watch) {
        List<Statement> statements = new ArrayList<>(executions.size());
        for (Execution execution : executions) {
            statements.add(execution.statement());
        }
        Form form = new Form(watch, statements, ending == null ? List.of() : ending.statements());
        if (statements.size() > LONGEST_KEPT) {
            return form.text();
        }
        String text = KEPT.get(form);
        return text == null ? KEPT.keep(form, form.text()) : text;
    }

    List<@Nullable Object> binds() {
        List<@Nullable Object> binds = new ArrayList<>();
        for (Execution execution : executions) {
            binds.addAll(execution.binds());
            if (execution.statement().isChecked()) {
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
        for (int i = 0; i < executions.size(); i++) {
            if (i > 0 && executions.get(i).write() == executions.get(i - 1).write()) {
                return true;
            }
        }
        return isMapped() && LockQuery.hasUntyped(binds());
    }

    /** Whether a mapper is to read what an execution returns. */
    boolean isMapped() {
        for (Execution execution : executions) {
            if (execution.write().mapper() != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reads how many rows each execution has changed or returned, and keeps those that are to be mapped. Leaves the statement
     * at the last result of the end, if there is one.
     */
    void read(PreparedStatement statement, boolean firstIsRows) throws SQLException {
        boolean isRows = firstIsRows;
        for (Execution execution : executions) {
            if (isRows) {
                readRows(statement, execution);
            } else {
                execution.result().count(Math.max(0, statement.getLargeUpdateCount()));
            }
            isRows = statement.getMoreResults(java.sql.Statement.KEEP_CURRENT_RESULT);
        }
        if (ending != null) {
            ending.read(statement, isRows);
        }
    }

    private void readRows(PreparedStatement statement, Execution execution) throws SQLException {
        ResultSet rows = statement.getResultSet();
        boolean mapped = execution.write().mapper() != null;
        long count = 0;
        if (execution.statement().isChecked()) {
            // In the last column; if it is zero the only row is none of the write's.
            rows.next();
            count = rows.getLong(rows.getMetaData().getColumnCount());
        } else if (mapped) {
            count = rows.last() ? rows.getRow() : 0;
        } else {
            while (rows.next()) {
                count++;
            }
        }
        execution.result().count(count);
        if (mapped) {
            returned.add(new Returned(execution, rows, count));
        }
    }

    /** Maps what was returned. The mappers are the caller's code, and all that Rowlock has to know is known by now. */
    void map() {
        for (Returned each : returned) {
            map(each.execution().write(), each);
        }
    }

    // A write's result is of its own type.
    @SuppressWarnings("unchecked")
    private static <T> void map(Write<T> write, Returned returned) {
        RowMapper<T> mapper = Objects.requireNonNull(write.mapper());
        WriteResult<T> own = (WriteResult<T>) returned.execution().result();
        try {
            for (int row = 1; row <= returned.count(); row++) {
                returned.rows().absolute(row);
                own.row(mapper.map(returned.rows()));
            }
        } catch (Throwable e) {
            // Throwable, as an Error must not look either as if nothing were stored.
            own.failed(e);
        }
    }
}
