package org.rowlock.internal.sql;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.FoundRow;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.text.FrontSql;

/** What the parts of one flush say of its locks, collected while their results are read. */
public final class Answers {
    private final ResolvedRequest request;
    private @Nullable Guard guard;
    /** The rows that were locked, by group of the request. */
    private List<List<FoundRow>> found = List.of();

    private boolean rowTaken;

    public Answers(ResolvedRequest request) {
        this.request = request;
    }

    /** What the guard of the advisory lock saw; null where there was none. */
    public @Nullable Guard guard() {
        return guard;
    }

    /** Whether another transaction has a lock that was only tried. */
    public boolean isTaken() {
        return rowTaken || (guard != null && guard.lock() == Guard.Lock.TAKEN);
    }

    public List<LockKey> absentRows() {
        return request.absentRows(found);
    }

    public @Nullable Misnamed misnamed() {
        return request.misnamed(found);
    }

    /** Whether the key in front was locked, and after how long. */
    void front(Statement statement) throws SQLException {
        Front front = request.front();
        try (ResultSet row = statement.getResultSet()) {
            if (front != null) {
                front.answered(FrontSql.waitedNanos(row));
            }
        }
    }

    void guard(Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            guard = row.next() ? Guard.read(row) : null;
        }
    }

    /** The only row, by its id. */
    void row(Statement statement) throws SQLException {
        RowTable table = request.rows().get(0).table();
        try (ResultSet row = statement.getResultSet()) {
            found = List.of(row.next() ? List.of(new FoundRow(1, table.readId(row, 1))) : List.of());
        }
    }

    /** Whether the only row, which was not locked, is there. */
    void look(Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            rowTaken = found.get(0).isEmpty() && row.next();
        }
    }

    /** Rows of a group: their ordinal numbers in it, and their ids. On Citus one statement gives one of them. */
    void rows(Statement statement, int group) throws SQLException {
        List<FoundRow> rows = numbered(statement, request.rows().get(group).table());
        if (found.size() > group) {
            found.get(group).addAll(rows);
        } else {
            add(rows);
        }
    }

    /** The rows of a group: how many, and their ids where some of those asked for are missing. */
    void counted(Statement statement, int group) throws SQLException {
        RowGroup asked = request.rows().get(group);
        List<FoundRow> rows = new ArrayList<>(asked.keys().size());
        for (Row key : asked.keys()) {
            rows.add(new FoundRow(rows.size() + 1, key.id()));
        }
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            Array present = row.getArray(2);
            if (row.getLong(1) < rows.size()) {
                Set<Object> ids = present == null ? Set.of() : new HashSet<>(List.of((Object[]) present.getArray()));
                rows.removeIf(each -> !ids.contains(each.id().get(0)));
            }
        }
        add(rows);
    }

    private void add(List<FoundRow> group) {
        if (found.isEmpty()) {
            found = new ArrayList<>(1);
        }
        found.add(group);
    }

    private static List<FoundRow> numbered(Statement statement, RowTable table) throws SQLException {
        List<FoundRow> rows = new ArrayList<>();
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                rows.add(new FoundRow(row.getInt(1), table.readId(row, 2)));
            }
        }
        return rows;
    }
}
