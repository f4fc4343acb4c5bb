package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Outcome.Held;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.Insert;

/** Checks the locks that the server has granted, and looks again for absent rows. */
record HeldLocks(LockCall call, ResolvedRequest request, Held held) {
    /**
     * Refuses locks that possibly do not exclude other transactions: the number of locked keys is wrong, or a stale
     * snapshot may hide a row.
     */
    void refuseUnsafe(boolean stored) throws SQLException {
        int locked = held.locked();
        int keys = request.advisory().size();
        if (locked != keys) {
            RowlockException refused = TargetErrors.miscounted(call.description(), locked, keys, stored);
            throw stored ? refused : aborted(refused);
        }
        if (!held.absent().isEmpty() && !Outcome.isReadCommitted(held.isolation())) {
            throw aborted(LockErrors.absentInSnapshot(call.description(), held.isolation()));
        }
    }

    List<LockKey> notInserted() {
        if (request.inserts().isEmpty() || held.absent().isEmpty()) {
            return List.of();
        }
        List<Row> inserted = request.inserts().stream().map(Insert::key).toList();
        return held.absent().stream().filter(inserted::contains).toList();
    }

    /** Ensures that nothing is stored. Returns the exception for an INSERT that has not created the requested row. */
    RowlockException refusedInsert() throws SQLException {
        RowlockException refused = TargetErrors.notInserted(call.description(), notInserted(), !call.hadBegun());
        // A ROLLBACK would silently undo the caller's earlier statements. If a failing statement aborts the transaction
        // instead, the caller's next statement fails.
        if (call.hadBegun()) {
            return aborted(refused);
        }
        call.session().execute("rollback");
        return refused;
    }

    RowlockException absentRow() {
        try {
            LockKey unlockable = unlockable();
            return unlockable != null
                    ? TargetErrors.notLockable(call.description(), unlockable)
                    : TargetErrors.rowAbsent(call.description(), held.absent());
        } catch (SQLException e) {
            return LockErrors.ofLock(call.description(), e);
        }
    }

    private RowlockException aborted(RowlockException refused) {
        call.session().abort(refused);
        return refused;
    }

    boolean isInsertedMeanwhile() throws SQLException {
        try {
            return found(group -> RowSql.lockOfOthers(group.table(), group.mode())) != null;
        } catch (SQLException e) {
            if (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return true;
            }
            throw e;
        }
    }

    /** Returns a row that the role can read, but cannot lock because of row security; null if there is none. */
    private @Nullable Row unlockable() throws SQLException {
        return found(group -> group.table().isLookable() ? null : RowSql.look(group.table()));
    }

    /**
     * Returns an absent row that a statement now finds; null if there is none.
     *
     * @param look returns the statement, whose parameters are the parts of the id; null if the rows are not looked for
     */
    private @Nullable Row found(Function<RowGroup, @Nullable String> look) throws SQLException {
        for (RowGroup group : request.rows()) {
            List<Row> absent = absentOf(group);
            String sql = absent.isEmpty() ? null : look.apply(group);
            if (sql != null) {
                try (PreparedStatement statement = call.session().prepare(sql)) {
                    for (Row key : absent) {
                        RowSql.bindId(statement, 1, key);
                        try (ResultSet row = statement.executeQuery()) {
                            if (row.next()) {
                                return key;
                            }
                        }
                    }
                }
            }
        }
        return null;
    }

    /**
     * Returns the absent rows of a group. Keys are compared by identity, because equal keys may spell the id
     * differently. The row may exist under only one spelling.
     */
    private List<Row> absentOf(RowGroup group) {
        Set<LockKey> spellings = Collections.newSetFromMap(new IdentityHashMap<>());
        spellings.addAll(held.absent());
        return group.keys().stream().filter(spellings::contains).toList();
    }
}
