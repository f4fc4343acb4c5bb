package org.rowlock.internal.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.value.Insert;
import org.rowlock.internal.value.KeyWithoutRow;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

/**
 * The request of one call, with the advisory locks and the row locks that its keys need.
 *
 * @param typed the tables whose rows get only advisory locks, and whose id columns are known; the flush checks that
 *     these columns have not changed
 * @param anyIsolationAllowed whether a row lock follows every advisory lock, so that the server itself detects a stale
 *     snapshot
 */
public record ResolvedRequest(
        RequestParts request,
        LockStrategy strategy,
        List<LockKey> advisory,
        List<RowGroup> rows,
        List<RowTable> typed,
        boolean anyIsolationAllowed,
        @Nullable Front front) {

    /** The request of a flush that locks nothing. */
    public static final ResolvedRequest NONE = new ResolvedRequest(
            RequestParts.of(RowLockMode.FOR_UPDATE, LockKey.number(0)).waiting(LockWait.NO_WAIT),
            LockStrategy.ROW,
            List.of(),
            List.of(),
            List.of(),
            true,
            null);

    /** The form of the statement that acquires the advisory locks. */
    public enum Shape {
        NONE,
        /** A row with an int4 id: the key is the pair of table and id. */
        ROW_INT,
        /** A row with any other id: the key is a bigint from the md5 of table and id. */
        ROW_TEXT,
        /** A name: the key is a bigint from the md5 of the name. */
        NAME,
        NUMBER,
        PAIR,
        /** Several rows of one table with int4 ids. */
        ROWS_INT,
        /** Several keys of any form, each exclusive or shared. */
        MANY;

        public boolean isSeveral() {
            return this == ROWS_INT || this == MANY;
        }

        /** Returns the shape of keys that all have the same mode. */
        public static Shape of(List<LockKey> keys) {
            return switch (keys.size()) {
                case 0 -> NONE;
                case 1 -> ofKey(keys.get(0));
                default -> areIntRowsOfOneTable(keys) ? ROWS_INT : MANY;
            };
        }

        private static Shape ofKey(LockKey key) {
            if (key instanceof LockKey.Row row) {
                return RowKey.isPair(row) ? ROW_INT : ROW_TEXT;
            }
            if (key instanceof KeyWithoutRow.Name) {
                return NAME;
            }
            return key instanceof KeyWithoutRow.RawNumber ? NUMBER : PAIR;
        }

        private static boolean areIntRowsOfOneTable(List<LockKey> keys) {
            String table = keys.get(0) instanceof LockKey.Row first ? first.table() : "";
            return keys.stream()
                    .allMatch(
                            key -> key instanceof LockKey.Row row && row.table().equals(table) && RowKey.isPair(row));
        }
    }

    public record RowGroup(RowTable table, RowLockMode mode, List<Row> keys) {}

    /** The kind of a {@link LockWait}. The SQL depends on the kind, and the length of the wait is a parameter. */
    public enum WaitKind {
        FOREVER,
        NO_WAIT,
        AT_MOST;

        public static WaitKind of(LockWait wait) {
            return wait.isBounded() ? AT_MOST : wait.isNoWait() ? NO_WAIT : FOREVER;
        }
    }

    /** Returns the form of the lock statement. Except with MANY, all keys have the mode of the request. */
    public Shape shape() {
        for (LockKey key : advisory) {
            if (request.modeOf(key) != request.mode()) {
                return Shape.MANY;
            }
        }
        return Shape.of(advisory);
    }

    public static List<String> tablesOf(List<LockKey> keys) {
        Set<String> tables = new TreeSet<>();
        for (LockKey key : keys) {
            if (key instanceof LockKey.Row row) {
                tables.add(row.table());
            }
        }
        return List.copyOf(tables);
    }

    /** Returns the tables whose columns the flush checks. */
    public List<RowTable> tables() {
        List<RowTable> tables = new ArrayList<>(typed);
        for (RowGroup group : rows) {
            tables.add(group.table());
        }
        return tables;
    }

    public List<LockKey> keys() {
        return request.keys();
    }

    public LockWait lockWait() {
        return request.lockWait();
    }

    public List<Insert> inserts() {
        return request.inserts();
    }

    /** Returns the strongest mode of the keys. */
    public RowLockMode mode() {
        return request.mode();
    }

    public boolean isRowRequired() {
        return !rows.isEmpty() && !request.isAbsentAllowed();
    }

    /** Whether the request locks exactly one row, with a single spelling of its id. */
    public boolean isOneRow() {
        return rows.size() == 1 && rows.get(0).keys().size() == 1;
    }

    /**
     * Whether a statement of another library has the same effect as the statement of Rowlock. On Citus, no statement of
     * another library has the same effect.
     */
    public boolean isLockedBy(RowStatement other) {
        boolean isEachRowOnce = rows.size() == 1 && rows.get(0).keys().size() == keys().size();
        if (strategy != LockStrategy.ROW || !isEachRowOnce || !inserts().isEmpty() || waitKind() != WaitKind.FOREVER) {
            return false;
        }
        RowTable table = rows.get(0).table();
        List<RowTable.Column> columns = table.columns();
        return table.identity() != RowTable.Identity.GIVEN
                && columns.size() == 1
                // The other library may compare or spell ids of this type differently from Rowlock.
                && columns.get(0).kind() != IdType.KEYLESS
                && columns.get(0).name().equals(other.idColumn());
    }

    public ResolvedRequest remaining(long startNanos) {
        return lockWait().isBounded() ? with(request.remaining(startNanos), front) : this;
    }

    public ResolvedRequest behind(@Nullable Front before) {
        return before == front ? this : with(request, before);
    }

    private ResolvedRequest with(RequestParts remaining, @Nullable Front before) {
        return new ResolvedRequest(remaining, strategy, advisory, rows, typed, anyIsolationAllowed, before);
    }

    /**
     * Returns the kind of the wait in the SQL. An INSERT waits for other inserts of the same row, and SQL has no NOWAIT
     * for an INSERT. Therefore a request with an INSERT has a short bound instead of NOWAIT.
     */
    public WaitKind waitKind() {
        return inserts().isEmpty() || !lockWait().isNoWait() ? WaitKind.of(lockWait()) : WaitKind.AT_MOST;
    }

    /** Returns the bound in milliseconds, at least 1, because lock_timeout = 0 means no bound. */
    public int waitMillis() {
        return lockWait().isBounded() ? lockWait().millis() : 1;
    }
}
