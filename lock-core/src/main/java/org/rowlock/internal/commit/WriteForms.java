package org.rowlock.internal.commit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.BoundedCache;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.Part.Binder;
import org.rowlock.internal.sql.Part.Reader;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.sql.WriteForm.WrongCount;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.WaiterSql;
import org.rowlock.internal.value.Insert;

/** Prepares writes for sending, and caches their parsed SQL. Refuses writes that cannot be sent with a COMMIT. */
public final class WriteForms {
    private static final BoundedCache<String, WriteForm> KEPT = new BoundedCache<>();

    private static final BoundedCache<Checked, String> CHECKED = new BoundedCache<>();

    /**
     * The largest number of statements in one flush. With more statements, the driver could stop and read results
     * before it sends the rest.
     */
    public static final int MOST_IN_ONE = 100;

    /**
     * The largest approximate size, in bytes, of the statements that follow the first statement of a flush, if any
     * statement returns rows. They must fit into the network buffers. Otherwise the driver and the server could
     * deadlock: the driver writes, while the server waits until the driver reads the rows.
     */
    public static final long MOST_BYTES = 64_000;

    private WriteForms() {}

    private record Checked(String sql, long expected) {}

    /**
     * The statements of writes.
     *
     * @param oneShot whether the statements must not stay prepared at the server
     * @param answering whether a statement may return rows
     */
    record Statements(List<Part> parts, boolean oneShot, boolean answering) {
        /** Returns the index after the last statement of the flush that begins with the statement {@code from}. */
        int endOfFlush(int from) {
            int most = Math.min(parts.size(), from + MOST_IN_ONE);
            long bytes = 0;
            for (int i = from + 1; answering && i < most; i++) {
                bytes += Part.bytes(parts.get(i).sql(), parts.get(i).binds());
                if (bytes > MOST_BYTES) {
                    return i;
                }
            }
            return most;
        }
    }

    /** Prepares writes for sending, and clears the results of earlier attempts. */
    static Statements statements(PgSession session, List<Write> writes) throws SQLException {
        List<Part> parts = new ArrayList<>(writes.isEmpty() ? 0 : writes.size() + 3);
        boolean repeated = false;
        boolean returning = false;
        boolean answering = false;
        for (int i = 0; i < writes.size(); i++) {
            Write write = writes.get(i);
            WriteForm form = of(session, write);
            write.begin();
            add(parts, write, form, i + 1);
            repeated |= write.executions().size() > 1;
            returning |= form.returning();
            answering |= form.returning() || !form.changes();
        }
        // Without one-shot execution, the server would prepare a repeated statement once for each execution. A
        // statement that returns rows and has an untyped value (null or a Date) would make the driver first read all
        // earlier results.
        boolean oneShot = repeated || (returning && parts.stream().anyMatch(part -> Part.hasUntyped(part.binds())));
        return new Statements(parts, oneShot, answering);
    }

    static void add(List<Part> parts, Write write, WriteForm form, int number) {
        boolean checked = write.isExpecting();
        String text = checked
                ? CHECKED.get(new Checked(form.text(), write.expected()), any -> form.checked(write.expected()))
                : form.text();
        Reader reader = (answers, statement) -> read(statement, write, checked);
        int executions = 0;
        for (List<@Nullable Object> binds : write.executions()) {
            int execution = ++executions;
            Binder binder = (statement, at, request) -> {
                int next = Part.bind(statement, at, binds);
                if (checked) {
                    statement.setString(next++, WriteForm.mark(number, execution));
                }
                return next;
            };
            parts.add(new Part(text, binder, reader, binds));
        }
    }

    private static void read(Statement statement, Write write, boolean checked) throws SQLException {
        ResultSet rows = statement.getResultSet();
        if (rows == null) {
            write.answered(Math.max(0, PgSession.changed(statement)));
            return;
        }
        // If the server checks the number of changed rows, the last column contains this number. If the number is zero,
        // the result has one row without values of the write.
        int columns = rows.getMetaData().getColumnCount() - (checked ? 1 : 0);
        long count = 0;
        while (rows.next()) {
            count = checked ? rows.getLong(columns + 1) : count + 1;
            if (count > 0 && columns > 0) {
                readRow(rows, columns, write);
            }
        }
        write.answered(count);
    }

    private static void readRow(ResultSet row, int columns, Write write) {
        List<@Nullable Object> values = new ArrayList<>(columns);
        try {
            for (int i = 1; i <= columns; i++) {
                values.add(row.getObject(i));
            }
        } catch (SQLException e) {
            write.rowsUnreadable(e);
        }
        write.returned(Collections.unmodifiableList(values));
    }

    private static WriteForm formOf(PgSession session, String sql) throws SQLException {
        // With standard_conforming_strings off, a backslash begins an escape, so the SQL is parsed again and not
        // cached.
        boolean standard = !"off".equals(session.reported("standard_conforming_strings"));
        return standard ? KEPT.get(sql, session::formOf) : session.formOf(sql);
    }

    static WriteForm of(PgSession session, Write write) throws SQLException {
        WriteForm form = formOf(session, write.sql());
        String refusal = refusal(write, form);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal + ". Nothing is stored: " + write.sql());
        }
        return form;
    }

    /** Whether all writes are INSERTs, UPDATEs or DELETEs that can be sent with a COMMIT. Runs no SQL. */
    public static boolean areChanges(PgSession session, List<Write> writes) {
        try {
            for (Write write : writes) {
                if (!of(session, write).changes()) {
                    return false;
                }
            }
            return true;
        } catch (SQLException | IllegalArgumentException e) {
            // The caller gets this error later, when the call runs outside a group.
            return false;
        }
    }

    public static void check(PgSession session, Insert insert) throws SQLException {
        WriteForm form = formOf(session, insert.sql());
        if (form.statements() != 1 || !form.keyword().equals("insert") || form.returning()) {
            throw new IllegalArgumentException("The SQL given to orInsert() must be one INSERT, without RETURNING."
                    + " Nothing is locked: " + insert.sql());
        }
        if (insert.binds().size() != form.parameters()) {
            throw new IllegalArgumentException("The INSERT given to orInsert() has " + form.parameters()
                    + " parameter(s), and " + insert.binds().size() + " value(s) are given. Nothing is locked: "
                    + insert.sql());
        }
    }

    public static UnexpectedRowCountException unexpected(
            List<Write> writes, int number, int execution, long found, boolean commits, @Nullable SQLException cause) {
        Write write = writes.get(number - 1);
        int executions = write.executions().size();
        String one = executions == 1 ? "" : " (execution " + execution + " of " + executions + ')';
        return new UnexpectedRowCountException(
                "Nothing is stored: write " + number + " of " + writes.size() + one + " should have changed "
                        + write.expected() + " row(s), but changed " + found + ". The transaction is "
                        + (commits ? "rolled back" : "aborted; roll back")
                        + ". If another transaction has changed or deleted the row after it was read, read it again and"
                        + " repeat the transaction. Otherwise correct the write or its expected number of rows: "
                        + WaiterSql.uncommented(write.sql()),
                found < write.expected() ? SqlState.NO_DATA_FOUND : SqlState.TOO_MANY_ROWS,
                cause);
    }

    /** Returns the values of the execution that the exception reports. */
    public static List<@Nullable Object> valuesOf(List<Write> writes, UnexpectedRowCountException e)
            throws SQLException {
        WrongCount wrong = e.getCause() instanceof SQLException server ? ServerErrors.wrongCountIn(server) : null;
        return wrong == null
                ? writes.get(0).values(1)
                : writes.get(wrong.number() - 1).values(wrong.execution());
    }

    private static @Nullable String refusal(Write write, WriteForm form) {
        if (form.statements() != 1) {
            return "The SQL of a write contains " + form.statements() + " statements; add each statement separately";
        }
        if (form.isTransactionControl()) {
            return "A write cannot begin or end a transaction or a savepoint, because Rowlock itself sends the COMMIT."
                    + " Remove this statement";
        }
        if (write.isExpecting() && !form.changes()) {
            return "The server can check the number of rows only for an INSERT, UPDATE or DELETE. Remove expectRows, or"
                    + " run this statement in the work and check its count";
        }
        for (List<@Nullable Object> binds : write.executions()) {
            if (binds.size() != form.parameters()) {
                return "The SQL of a write has " + form.parameters() + " parameter(s), and " + binds.size()
                        + " value(s) are given. Give a value per parameter; in addBatch a list for each execution";
            }
        }
        return switch (form.keyword()) {
            case "copy" ->
                "COPY cannot be a write, because its data is not in the statement: run it in the work with the driver's"
                        + " CopyManager";
            case "explain" -> "EXPLAIN cannot be a write, because it returns a plan and no counts: run it in the work";
            default -> null;
        };
    }
}
