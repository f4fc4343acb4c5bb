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
import org.rowlock.internal.text.FrontSql;

/** Collects the results of the lock statements of one flush. */
public final class Answers {
    private final ResolvedRequest request;
    private int locked;
    private String isolation = Outcome.READ_COMMITTED;
    private List<LockKey> absent = List.of();

    /** The outcome if a lock was not acquired; otherwise null. */
    private @Nullable Outcome unlocked;

    public Answers(ResolvedRequest request) {
        this.request = request;
    }

    public Outcome outcome() {
        return unlocked == null ? new Outcome.Held(locked, isolation, absent) : unlocked;
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
            while (row.next()) {
                String said = row.getString(1);
                Outcome refused = said == null ? null : LockCheckSql.unlockedBy(said);
                if (refused != null) {
                    unlocked = refused;
                } else if (said != null) {
                    locked++;
                    String level = row.getString(2);
                    isolation = level == null ? isolation : level;
                }
            }
        }
    }

    /** Reads the result of a statement that locks one row of a {@code RowGroup}. */
    void row(Statement statement, int group, int index) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            row(row.next(), group, index);
        }
    }

    void row(boolean found, int group, int index) {
        if (!found) {
            absent(request.rows().get(group).keys().get(index));
        }
    }

    /** If the only row of the request could not be locked, reads whether the row exists. */
    void readUnlocked(Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            if (!absent.isEmpty() && row.next()) {
                unlocked = Outcome.NotAvailable.AT_ONCE;
            }
        }
    }

    /**
     * Reads the locked rows of a {@code RowGroup}. A key may have several rows if the id columns are configured, or if
     * the table has child tables.
     */
    void rows(Statement statement, int group) throws SQLException {
        List<Row> keys = request.rows().get(group).keys();
        BitSet present = new BitSet(keys.size());
        try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
                present.set(row.getInt(1) - 1);
            }
        }
        for (int i = present.nextClearBit(0); i < keys.size(); i = present.nextClearBit(i + 1)) {
            absent(keys.get(i));
        }
    }

    /** Reads how many ids of a {@code RowGroup} were found and, if some ids are missing, the found ids. */
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

    private void absent(LockKey key) {
        if (absent.isEmpty()) {
            absent = new ArrayList<>(1);
        }
        absent.add(key);
    }
}
