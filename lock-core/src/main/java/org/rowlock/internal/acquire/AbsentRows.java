package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.SqlState;

/** Looks again for the rows of a request that its row locks have not found. */
record AbsentRows(PgSession session, ResolvedRequest request, List<LockKey> absent) {
    /** Whether another transaction has inserted one of them since. */
    boolean isInsertedMeanwhile() throws SQLException {
        for (RowGroup group : request.rows()) {
            String look = RowSql.lockOfOthers(group.table(), group.mode());
            for (Row key : absentOf(group)) {
                try {
                    if (!read(group.table(), look, key).isEmpty()) {
                        return true;
                    }
                } catch (SQLException e) {
                    if (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                        return true;
                    }
                    throw e;
                }
            }
        }
        return false;
    }

    /** A row that the role can read and that FOR UPDATE did not find, as row security has policies for each. */
    @Nullable
    Row unlockable() throws SQLException {
        for (RowGroup group : request.rows()) {
            RowTable table = group.table();
            for (Row key : table.isLookable() ? List.<Row>of() : absentOf(group)) {
                if (!read(table, RowSql.lookAt(table), key).isEmpty()) {
                    return key;
                }
            }
        }
        return null;
    }

    /** A key without a row, whose row would have another key. */
    @Nullable
    Misnamed misnamed() throws SQLException {
        for (RowGroup group : request.rows()) {
            RowTable table = group.table();
            for (Row key : table.isAny(IdType::isOpen) ? absentOf(group) : List.<Row>of()) {
                List<String> meant = read(table, RowSql.meaning(table), key);
                if (table.isOther(key, meant)) {
                    return new Misnamed(key, meant);
                }
            }
        }
        return null;
    }

    /** Of two spellings of one key one may have been found. */
    private List<Row> absentOf(RowGroup group) {
        Set<LockKey> spellings = Collections.newSetFromMap(new IdentityHashMap<>());
        spellings.addAll(absent);
        return group.keys().stream().filter(spellings::contains).toList();
    }

    /** The id in the row that a statement about a key returns; empty where there is none. */
    private List<String> read(RowTable table, String look, Row key) throws SQLException {
        try (PreparedStatement statement = session.prepare(look)) {
            RowSql.bindId(statement, 1, key);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? table.readId(row, 1) : List.of();
            }
        }
    }
}
