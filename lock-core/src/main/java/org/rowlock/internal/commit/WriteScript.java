package org.rowlock.internal.commit;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;
import org.rowlock.internal.request.OpenRows;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.Watch;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.request.WriteResult;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.Kept;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.sql.WriteSql;
import org.rowlock.internal.text.Insert;

/** Executions of writes, and maybe the COMMIT behind them, as the last part of one flush. */
final class WriteScript implements Tail {
    /** Longer ones are made in loops, each of another length. */
    private static final int LONGEST_KEPT = 8;

    /** The texts of the others, of which an application has few different ones. */
    private static final Kept<Form, String> KEPT = new Kept<>();

    private final PgSession session;
    private final List<Execution> executions = new ArrayList<>(2);
    private final List<Returned> returned = new ArrayList<>(0);
    private final OpenRows open = new OpenRows();
    private @Nullable Ending ending;
    private @Nullable Watch watch;
    private @Nullable SQLWarning warning;
    private boolean sent;
    private boolean ended;

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
            String text = Insert.withoutSemicolon(sql);
            return isChecked() ? WriteSql.checked(text, returning, expected, number, rows) : text;
        }
    }

    /** All that the text depends on. */
    private record Form(List<Statement> statements, List<String> ending) {
        String text() {
            return Stream.concat(statements.stream().map(Statement::text), ending.stream())
                    // The line break ends a comment that a statement may end with.
                    .collect(Collectors.joining("\n;"));
        }
    }

    WriteScript(PgSession session) {
        this.session = session;
    }

    <T> void add(Write<T> write, WriteForm form, int number, List<@Nullable Object> binds, WriteResult<T> result) {
        long expected = form.changes() ? write.expected() : Write.ANY;
        Statement statement = new Statement(write.sql(), number, expected, form.returning(), write.mapper() != null);
        executions.add(new Execution(write, statement, binds, result));
    }

    /**
     * Has the transaction end with it: this is where the COMMIT becomes the last part of a flush.
     *
     * @param last the COMMIT, and what goes around it
     */
    void end(Ending last) {
        ending = last;
        watch = Watch.NONE;
    }

    /** Has the server look after its client while it waits in front of the COMMIT. */
    WriteScript watched() throws SQLException {
        watch = LostCommits.watch(session);
        return this;
    }

    /** Sends it by itself, without locks. */
    void send() throws SQLException {
        if (ending != null && executions.isEmpty()) {
            sent = true;
            warning = ending.send(session);
            ended = !session.hasBegun();
            return;
        }
        WriteScript tail = ending != null ? watched() : this;
        FlushRunner.send(session, Flushes.alone(tail), ResolvedRequest.NONE, tail);
    }

    @Override
    public boolean isKept() {
        return executions.size() <= LONGEST_KEPT;
    }

    /** Whether the COMMIT may have left. */
    boolean isSent() {
        return sent;
    }

    /**
     * Whether the server has answered the COMMIT. Looked at before any code of the caller's has run, which may begin
     * anew.
     */
    boolean hasEnded() {
        return ended;
    }

    @Nullable
    SQLWarning replicationWarning() {
        return warning;
    }

    @Override
    public @Nullable Watch watch() {
        return watch;
    }

    @Override
    public OpenRows open() {
        return open;
    }

    @Override
    public void unsent() {
        sent = false;
    }

    int size() {
        return executions.size();
    }

    @Override
    public String sql() {
        List<Statement> statements = new ArrayList<>(executions.size());
        for (Execution execution : executions) {
            statements.add(execution.statement());
        }
        Form form = new Form(statements, ending == null ? List.of() : ending.statements());
        if (!isKept()) {
            return form.text();
        }
        String text = KEPT.get(form);
        return text == null ? KEPT.keep(form, form.text()) : text;
    }

    @Override
    public List<@Nullable Object> binds() {
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

    @Override
    public int bind(PreparedStatement statement, int at) throws SQLException {
        int next = Tail.bind(statement, at, binds());
        sent = ending != null;
        return next;
    }

    /**
     * Whether the server is not to keep what it prepares: of a statement that is executed several times it would keep
     * as many, and for a value without a type the driver waits in front of a statement that returns rows.
     */
    @Override
    public boolean isOneShot() {
        for (int i = 0; i < executions.size(); i++) {
            if (i > 0 && executions.get(i).write() == executions.get(i - 1).write()) {
                return true;
            }
        }
        return isMapped() && Tail.hasUntyped(binds());
    }

    @Override
    public boolean isReadTwice() {
        return isMapped();
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

    /** Reads how many rows each execution has changed or returned, and keeps those that are to be mapped. */
    @Override
    public void read(PreparedStatement statement, boolean firstIsRows) throws SQLException {
        ended = ending != null && !session.hasBegun();
        boolean isRows = firstIsRows;
        boolean first = true;
        for (Execution execution : executions) {
            isRows = first ? isRows : statement.getMoreResults(java.sql.Statement.KEEP_CURRENT_RESULT);
            first = false;
            if (isRows) {
                readRows(statement, execution);
            } else {
                execution.result().count(Math.max(0, statement.getLargeUpdateCount()));
            }
        }
        if (ending != null) {
            ending.read(statement, first ? isRows : statement.getMoreResults(java.sql.Statement.KEEP_CURRENT_RESULT));
        }
        warning = PgSession.replicationWarning(statement.getWarnings());
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

    /**
     * Maps what was returned. The mappers are the caller's code, and all that Rowlock has to know is known by now.
     *
     * @return whether there are any
     */
    boolean map() {
        for (Returned each : returned) {
            map(each.execution().write(), each);
        }
        return isMapped();
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
