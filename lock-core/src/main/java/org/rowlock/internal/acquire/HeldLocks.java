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
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.LockCheck;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.Insert;

/** Checks the locks that a flush has acquired. Reads again the rows that the flush has not found. */
record HeldLocks(LockCall call, ResolvedRequest request, Held held, boolean begun) {
    /**
     * Refuses locks that do not exclude other transactions. There are three reasons. The number of locked keys is
     * wrong. An id is not spelled like the id of its row, so that the keys differ. A stale snapshot may hide the row.
     */
    void refuseUnsafe(boolean stored) throws SQLException {
        LockCheck check = held.check();
        int locked = held.locked();
        int keys = request.advisory().size();
        if (locked != keys) {
            RowlockException refused = LockErrors.miscounted(call.description(), locked, keys, stored);
            throw stored ? refused : aborted(refused);
        }
        boolean absent = !held.absent().isEmpty();
        Misnamed misnamed = held.misnamed() == null && absent && keys > 0 ? misnamed() : held.misnamed();
        if (misnamed != null) {
            throw undone(TargetErrors.misnamed(call.description(), misnamed, !begun));
        }
        if (absent && check != null && !check.isReadCommitted()) {
            throw aborted(LockErrors.absentInSnapshot(call.description(), check));
        }
    }

    List<LockKey> notInserted() {
        if (request.inserts().isEmpty() || held.absent().isEmpty()) {
            return List.of();
        }
        List<Row> inserted = request.inserts().stream().map(Insert::key).toList();
        return held.absent().stream().filter(inserted::contains).toList();
    }

    /** Rolls back or aborts the transaction, and returns the exception for an INSERT that has not created the row. */
    RowlockException refusedInsert() throws SQLException {
        return undone(TargetErrors.notInserted(call.description(), notInserted(), !begun));
    }

    RowlockException absentRow() throws SQLException {
        LockKey unlockable = unlockable();
        return unlockable != null
                ? TargetErrors.notLockable(call.description(), unlockable)
                : TargetErrors.rowAbsent(call.description(), held.absent());
    }

    /**
     * Rolls back the transaction. If the transaction had begun before the call, aborts the transaction instead, so that
     * its earlier part is not lost silently.
     */
    private RowlockException undone(RowlockException refused) throws SQLException {
        if (begun) {
            return aborted(refused);
        }
        call.session().execute("rollback");
        return refused;
    }

    private RowlockException aborted(RowlockException refused) {
        call.session().abort(refused);
        return refused;
    }

    boolean isInsertedMeanwhile() throws SQLException {
        if (held.absent().isEmpty()) {
            return false;
        }
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

    /** Returns a row that row security allows the role to read but not to lock; null if there is no such row. */
    private @Nullable Row unlockable() throws SQLException {
        for (RowGroup group : request.rows()) {
            RowTable table = group.table();
            for (Row key : table.isLookable() ? List.<Row>of() : absentOf(group)) {
                if (!read(table, RowSql.existingId(table), key).isEmpty()) {
                    return key;
                }
            }
        }
        return null;
    }

    /** Returns a key whose row exists, but with another spelling of the id; null if there is no such key. */
    private @Nullable Misnamed misnamed() throws SQLException {
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

    /**
     * Returns the absent rows of a group. Keys are compared by identity, because equal keys can have ids in different
     * spellings. It can happen that a row exists for only one of these spellings.
     */
    private List<Row> absentOf(RowGroup group) {
        Set<LockKey> spellings = Collections.newSetFromMap(new IdentityHashMap<>());
        spellings.addAll(held.absent());
        return group.keys().stream().filter(spellings::contains).toList();
    }

    /**
     * Runs a statement for one row, and returns the id from its result; an empty list if the result has no row.
     *
     * @param look the statement, whose parameters are the parts of the id
     */
    private List<String> read(RowTable table, String look, Row key) throws SQLException {
        try (PreparedStatement statement = call.session().prepare(look)) {
            RowSql.bindId(statement, 1, key);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? table.readId(row, 1) : List.of();
            }
        }
    }
}
