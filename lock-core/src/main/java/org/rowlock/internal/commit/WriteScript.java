package org.rowlock.internal.commit;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.Watch;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.GuardSql;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.sql.WriteSql;
import org.rowlock.internal.text.Insert;

/** Executions of writes, and maybe the COMMIT behind them, as the last part of one flush. */
final class WriteScript implements Tail {
    /** Longer ones are made in loops, each of another length. */
    private static final int LONGEST_KEPT = 8;

    private final PgSession session;
    private final List<Execution> executions = new ArrayList<>(2);
    private @Nullable Ending ending;
    private @Nullable Watch watch;

    /** That the server has not waited for its standby. */
    @Nullable
    SQLWarning warning;

    /** Whether the COMMIT may have left. */
    boolean sent;

    /** Whether the server has answered the COMMIT. Looked at before a listener has run, which may begin anew. */
    boolean ended;

    /** One execution of a write, and where its results go. */
    private record Execution(Statement statement, List<@Nullable Object> binds, Write write) {}

    /**
     * All that the text of one execution depends on.
     *
     * @param expected how many rows the server is to check for, or {@link Write#ANY}
     */
    record Statement(String sql, int number, long expected, boolean returning) {
        boolean isChecked() {
            return expected != Write.ANY;
        }

        String text() {
            String text = Insert.withoutSemicolon(sql);
            return isChecked() ? WriteSql.checked(text, returning, expected, number) : text;
        }
    }

    WriteScript(PgSession session) {
        this.session = session;
    }

    void add(Write write, WriteForm form, int number, List<@Nullable Object> binds) {
        long expected = form.changes() ? write.expected() : Write.ANY;
        executions.add(new Execution(new Statement(write.sql(), number, expected, form.returning()), binds, write));
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
        if (executions.isEmpty() && ending == null) {
            return;
        }
        WriteScript tail = ending != null ? watched() : this;
        FlushRunner.send(session, Flushes.alone(tail), ResolvedRequest.NONE, tail);
    }

    @Override
    public boolean isKept() {
        return executions.size() <= LONGEST_KEPT;
    }

    @Override
    public @Nullable Watch watch() {
        return watch;
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
        return Stream.concat(
                        executions.stream()
                                .map(execution -> execution.statement().text()),
                        ending == null ? Stream.empty() : ending.statements().stream())
                // The line break ends a comment that a statement may end with.
                .collect(Collectors.joining("\n;"));
    }

    @Override
    public List<Object> form() {
        List<Object> form = new ArrayList<>(executions.size() + 1);
        for (Execution execution : executions) {
            form.add(execution.statement());
        }
        form.add(ending == null ? "" : ending.statements());
        return form;
    }

    @Override
    public List<@Nullable Object> binds() {
        List<@Nullable Object> binds = new ArrayList<>();
        executions.forEach(execution -> binds.addAll(execution.binds()));
        return binds;
    }

    @Override
    public int bind(PreparedStatement statement, int at) throws SQLException {
        int next = at;
        for (Execution execution : executions) {
            next = Tail.bind(statement, next, execution.binds());
            if (execution.statement().isChecked()) {
                statement.setString(next++, GuardSql.mark());
            }
        }
        if (ending != null) {
            next = Tail.bind(statement, next, ending.binds());
        }
        sent = ending != null;
        return next;
    }

    /**
     * Whether the server is not to keep what it prepares: of a statement that is executed several times it would keep
     * as many, and for a value without a type the driver waits in front of a statement that returns rows.
     */
    @Override
    public boolean isOneShot() {
        boolean returning = false;
        for (int i = 0; i < executions.size(); i++) {
            returning |= executions.get(i).statement().returning();
            if (i > 0 && executions.get(i).write() == executions.get(i - 1).write()) {
                return true;
            }
        }
        return returning && Tail.hasUntyped(binds());
    }

    /** Reads how many rows each execution has changed or returned, and what it has returned. */
    @Override
    public void read(PreparedStatement statement, boolean firstIsRows) throws SQLException {
        ended = ending != null && !session.hasBegun();
        boolean isRows = firstIsRows;
        for (int i = 0; i < executions.size(); i++) {
            isRows = i == 0 ? isRows : statement.getMoreResults();
            Execution execution = executions.get(i);
            if (isRows) {
                readRows(statement, execution);
            } else {
                execution.write().answered(Math.max(0, statement.getLargeUpdateCount()));
            }
        }
        if (ending != null) {
            ending.read(statement, executions.isEmpty() ? isRows : statement.getMoreResults());
        }
        warning = PgSession.replicationWarning(statement.getWarnings());
    }

    private static void readRows(PreparedStatement statement, Execution execution) throws SQLException {
        ResultSet rows = statement.getResultSet();
        boolean checked = execution.statement().isChecked();
        // The count is in the last column; if it is zero the only row is none of the write's.
        int columns = rows.getMetaData().getColumnCount() - (checked ? 1 : 0);
        long count = 0;
        while (rows.next()) {
            count = checked ? rows.getLong(columns + 1) : count + 1;
            if (count > 0 && columns > 0) {
                readRow(rows, columns, execution.write());
            }
        }
        execution.write().answered(count);
    }

    private static void readRow(ResultSet row, int columns, Write write) {
        List<@Nullable Object> values = new ArrayList<>(columns);
        try {
            for (int i = 1; i <= columns; i++) {
                values.add(row.getObject(i));
            }
        } catch (SQLException e) {
            write.unread(e);
        }
        write.returned(Collections.unmodifiableList(values));
    }
}
