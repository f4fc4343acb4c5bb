package org.rowlock.internal.sql;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.text.FrontSql;

/** Collects the results of the lock statements of one flush. */
public final class Answers {
    private final ResolvedRequest request;
    private @Nullable LockCheck check;
    private boolean rowTaken;
    private List<LockKey> absent = List.of();
    private @Nullable Misnamed misnamed;

    public Answers(ResolvedRequest request) {
        this.request = request;
    }

    /** Returns the result of the {@link LockCheckSql check}; null if the flush has no advisory lock. */
    public @Nullable LockCheck check() {
        return check;
    }

    /** Whether a lock was not acquired, because another transaction holds the lock and the flush does not wait. */
    public boolean isTaken() {
        return rowTaken || (check != null && check.lock() == LockCheck.Lock.TAKEN);
    }

    public List<LockKey> absent() {
        return absent;
    }

    public @Nullable Misnamed misnamed() {
        return misnamed;
    }

    void front(Statement statement) throws SQLException {
        Front front = request.front();
        try (ResultSet row = statement.getResultSet()) {
            if (front != null) {
                front.answered(FrontSql.waitedNanos(row));
            }
        }
    }

    void check(Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            int locked = 0;
            while (row.next()) {
                LockCheck seen = LockCheckSql.read(row);
                if (seen != null) {
                    check = seen;
                    locked += seen.locked();
                }
            }
            check = check == null ? null : check.of(locked);
        }
    }

    /** Reads the result of a statement that locks one row of a group. */
    void row(Statement statement, int group, int index) throws SQLException {
        RowGroup asked = request.rows().get(group);
        Row key = asked.keys().get(index);
        try (ResultSet row = statement.getResultSet()) {
            if (row.next()) {
                found(asked, key, row, 1);
            } else {
                absent(key);
            }
        }
    }

    /** Reads whether the only row of the request exists, if the row could not be locked. */
    void readUnlocked(Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            rowTaken = !absent.isEmpty() && row.next();
        }
    }

    /** Reads the locked rows of a group. With configured id columns, a key may have several rows. */
    void rows(Statement statement, int group) throws SQLException {
        RowGroup asked = request.rows().get(group);
        List<Row> keys = asked.keys();
        BitSet present = new BitSet(keys.size());
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                int index = row.getInt(1) - 1;
                present.set(index);
                found(asked, keys.get(index), row, 2);
            }
        }
        for (int i = present.nextClearBit(0); i < keys.size(); i = present.nextClearBit(i + 1)) {
            absent(keys.get(i));
        }
    }

    /** Reads the number of found rows of a group and, if some rows are missing, the ids of the found rows. */
    void counted(Statement statement, int group) throws SQLException {
        List<Row> keys = request.rows().get(group).keys();
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            Array present = row.getArray(2);
            if (row.getLong(1) < keys.size()) {
                Set<Object> ids = present == null ? Set.of() : new HashSet<>(List.of((Object[]) present.getArray()));
                keys.stream().filter(key -> !ids.contains(key.id().get(0))).forEach(this::absent);
            }
        }
    }

    private void found(RowGroup asked, Row key, ResultSet row, int at) throws SQLException {
        List<String> id = asked.table().readId(row, at);
        if (misnamed == null && asked.table().isOther(key, id)) {
            misnamed = new Misnamed(key, id);
        }
    }

    private void absent(LockKey key) {
        if (absent.isEmpty()) {
            absent = new ArrayList<>(1);
        }
        absent.add(key);
    }
}
