package org.rowlock.internal.session;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey.Row;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.OpenRows;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.FoundRow;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.text.FrontSql;

/** Sends a flush in one round trip and reads the results of its parts in their order. */
public final class FlushRunner {
    private FlushRunner() {}

    /**
     * Sends the parts, and what they lock, read, write and commit is done. What the tail returns stays open until it is
     * read.
     *
     * @throws SQLException as the driver throws it: the parts behind the one that failed have not run
     */
    public static Outcome send(PgSession session, Flush flush, ResolvedRequest request, @Nullable Tail tail)
            throws SQLException {
        boolean oneShot = !request.inserts().isEmpty()
                && request.inserts().stream().anyMatch(insert -> Tail.hasUntyped(insert.binds()));
        OpenRows open = tail == null ? null : tail.open();
        if (open != null) {
            // That of a try before.
            open.close();
        }
        PreparedStatement statement = session.prepareScript(flush.sql(), oneShot || (tail != null && tail.isOneShot()));
        if (open != null) {
            return send(session, open.keep(statement), flush, request, tail);
        }
        try {
            return send(session, statement, flush, request, tail);
        } finally {
            OpenRows.close(statement);
        }
    }

    private static Outcome send(
            PgSession session, PreparedStatement statement, Flush flush, ResolvedRequest request, @Nullable Tail tail)
            throws SQLException {
        flush.bind(statement, request, tail);
        boolean isRows = statement.execute();
        Guard guard = null;
        List<List<FoundRow>> found = List.of();
        boolean taken = false;
        for (Part part : flush.parts()) {
            switch (part.result()) {
                case WATCH -> LostCommits.read(session, statement);
                case FRONT -> readFront(statement, request.front());
                case GUARD -> guard = readGuard(statement);
                case ROW ->
                    found = List.of(
                            readFoundRow(statement, request.rows().get(0).table()));
                case ROWS -> found = with(found, readFoundRows(statement, request.rows(), found.size()));
                case COUNTED_ROWS ->
                    found = with(
                            found, readCountedRows(statement, request.rows().get(found.size())));
                case MORE_ROWS -> {
                    int group = found.size() - 1;
                    found.get(group).addAll(readFoundRows(statement, request.rows(), group));
                }
                case LOOK -> taken = found.get(0).isEmpty() && isAny(statement);
                case TAIL -> {
                    if (tail != null) {
                        tail.read(statement, isRows);
                    }
                }
                case IGNORED -> {}
            }
            isRows = statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
        }
        if (isRows || statement.getUpdateCount() != -1) {
            throw new IllegalArgumentException("The SQL of the query has more than one statement. They have run:"
                    + " roll the transaction back, and give one statement that returns rows");
        }
        if (guard != null && guard.lock() == Guard.Lock.NOT_TRIED) {
            return new Outcome.Refused(guard, null);
        }
        return taken || (guard != null && guard.lock() == Guard.Lock.TAKEN)
                ? Outcome.Taken.AT_ONCE
                : new Outcome.Held(guard, request.absentRows(found), request.misnamed(found));
    }

    private static void readFront(PreparedStatement statement, @Nullable Front front) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            if (front != null) {
                front.answered(FrontSql.waitedNanos(row));
            }
        }
    }

    private static @Nullable Guard readGuard(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            return row.next() ? Guard.read(row) : null;
        }
    }

    private static List<FoundRow> readFoundRow(PreparedStatement statement, RowTable table) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            return row.next() ? List.of(new FoundRow(1, readId(row, 1, table))) : List.of();
        }
    }

    private static List<List<FoundRow>> with(List<List<FoundRow>> groups, List<FoundRow> next) {
        List<List<FoundRow>> all = groups.isEmpty() ? new ArrayList<>(1) : groups;
        all.add(next);
        return all;
    }

    private static List<FoundRow> readFoundRows(PreparedStatement statement, List<RowGroup> groups, int group)
            throws SQLException {
        RowTable table = groups.get(group).table();
        List<FoundRow> found = new ArrayList<>();
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                found.add(new FoundRow(row.getInt(1), readId(row, 2, table)));
            }
        }
        return found;
    }

    private static List<FoundRow> readCountedRows(PreparedStatement statement, RowGroup asked) throws SQLException {
        List<FoundRow> rows = new ArrayList<>(asked.keys().size());
        for (Row key : asked.keys()) {
            rows.add(new FoundRow(rows.size() + 1, key.id()));
        }
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            Array present = row.getArray(2);
            if (row.getLong(1) < rows.size()) {
                Set<Object> ids = present == null ? Set.of() : new HashSet<>(List.of((Object[]) present.getArray()));
                rows.removeIf(found -> !ids.contains(found.id().get(0)));
            }
        }
        return rows;
    }

    /** The texts of the id of a row, from columns that are printed from index {@code at} on. */
    public static List<String> readId(ResultSet row, int at, RowTable table) throws SQLException {
        int parts = table.columns().size();
        if (parts == 1) {
            return List.of(row.getString(at));
        }
        List<String> id = new ArrayList<>(parts);
        for (int i = 0; i < parts; i++) {
            id.add(row.getString(at + i));
        }
        return id;
    }

    private static boolean isAny(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            return row.next();
        }
    }
}
