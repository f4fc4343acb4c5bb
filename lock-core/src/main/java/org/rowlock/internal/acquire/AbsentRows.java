package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey.Row;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.SqlState;

/** Looks again for the rows of a request that its row locks have not found. */
record AbsentRows(PgSession session, ResolvedRequest request) {
    /** Whether another transaction has inserted one of them since. */
    boolean isInsertedMeanwhile(Held held) throws SQLException {
        for (ResolvedRequest absent : absentAlone(held)) {
            RowGroup row = absent.rows().get(0);
            try {
                if (!read(RowSql.lockOfOthers(row.table(), row.mode()), absent).isEmpty()) {
                    return true;
                }
            } catch (SQLException e) {
                if (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                    return true;
                }
                throw e;
            }
        }
        return false;
    }

    /** A key without a row, whose row would have another key. */
    @Nullable
    Misnamed misnamed(Held held) throws SQLException {
        for (ResolvedRequest absent : absentAlone(held)) {
            RowTable table = absent.rows().get(0).table();
            Row key = absent.rows().get(0).keys().get(0);
            List<String> meant = table.isIdOpen() ? read(RowSql.meaning(table), absent) : key.id();
            if (ResolvedRequest.isOther(table, key, meant)) {
                return new Misnamed(key, meant);
            }
        }
        return null;
    }

    /** For each row that was not found, the request for it alone. */
    private List<ResolvedRequest> absentAlone(Held held) {
        return request.rows().stream()
                .flatMap(group -> group.keys().stream()
                        .filter(held.absent()::contains)
                        .map(key -> request.withRows(List.of(new RowGroup(group.table(), group.mode(), List.of(key))))))
                .toList();
    }

    /** The id in the row that a statement about the first row of a request returns; empty where there is none. */
    private List<String> read(Part look, ResolvedRequest alone) throws SQLException {
        try (PreparedStatement statement = session.prepare(look.sql())) {
            look.binder().bind(statement, 1, alone);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? alone.rows().get(0).table().readId(row, 1) : List.of();
            }
        }
    }
}
