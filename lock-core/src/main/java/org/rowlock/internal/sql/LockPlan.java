package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.request.Watch;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.Insert;

/**
 * The form of a request: all that the text of its flush depends on, and nothing of its values.
 *
 * @param shape the form of the advisory keys
 * @param tables the tables of the advisory locks
 * @param mode that of the advisory locks, unless each has its own
 * @param begun whether the transaction has begun, so that a failure cannot roll back all of it
 * @param fronted whether the advisory key of {@link FrontSql} goes in front
 * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
 * @param rows the row locks
 * @param keysAlone the tables of keys without a row lock whose ids are looked at
 * @param inserts of rows that may not be there
 * @param tail the form of the caller's own statement, or of writes and the COMMIT
 * @param watch where that ends the transaction: how the server is to look after its client meanwhile
 */
record LockPlan(
        Shape shape,
        List<String> tables,
        RowLockMode mode,
        WaitKind waitKind,
        boolean begun,
        boolean fronted,
        boolean anyIsolation,
        List<RowPart> rows,
        List<RowTable> keysAlone,
        List<String> inserts,
        @Nullable Object tail,
        @Nullable Watch watch) {

    /** @param one whether there is no more than one in it */
    record RowPart(RowTable table, RowLockMode mode, boolean one) {
        @Override
        public int hashCode() {
            return table.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof RowPart that && one == that.one && mode == that.mode && table.equals(that.table);
        }
    }

    /** Of what plans of one application differ in. The hash of a record is dear to an instance that starts. */
    @Override
    public int hashCode() {
        int flags = (begun ? 1 : 0) + (fronted ? 2 : 0) + (anyIsolation ? 4 : 0);
        int hash = ((31 * rows.hashCode() + tables.hashCode()) * 31 + Objects.hashCode(tail)) * 31 + flags;
        return (hash * 31 + mode.hashCode()) * 31 + waitKind.hashCode();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockPlan that
                && shape == that.shape
                && mode == that.mode
                && waitKind == that.waitKind
                && begun == that.begun
                && fronted == that.fronted
                && anyIsolation == that.anyIsolation
                && tables.equals(that.tables)
                && rows.equals(that.rows)
                && keysAlone.equals(that.keysAlone)
                && inserts.equals(that.inserts)
                && Objects.equals(tail, that.tail)
                && Objects.equals(watch, that.watch);
    }

    static LockPlan of(ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable Tail tail) {
        return new LockPlan(
                request.advisory().shape(),
                request.advisory().tables(),
                request.mode(),
                request.waitKind(),
                begun,
                request.front() != null,
                anyIsolation,
                parts(request.rows()),
                tables(request.keysAlone()),
                request.inserts().isEmpty()
                        ? List.of()
                        : request.inserts().stream().map(Insert::text).toList(),
                tail == null ? null : tail.form(),
                tail == null ? null : tail.watch());
    }

    private static List<RowPart> parts(List<RowGroup> groups) {
        if (groups.isEmpty()) {
            return List.of();
        }
        List<RowPart> parts = new ArrayList<>(groups.size());
        for (RowGroup group : groups) {
            parts.add(new RowPart(group.table(), group.mode(), group.keys().size() == 1));
        }
        return parts;
    }

    private static List<RowTable> tables(List<RowGroup> groups) {
        return groups.isEmpty()
                ? List.of()
                : groups.stream().map(RowGroup::table).toList();
    }

    boolean committing() {
        return watch != null;
    }

    boolean isAdvisory() {
        return shape != Shape.NONE;
    }

    boolean isOneRow() {
        return rows.size() == 1 && rows.get(0).one();
    }

    /** Nothing to be rolled back where it fails: then nothing has happened. */
    boolean isAdvisoryTry() {
        return isAdvisoryAlone() && !shape.isSeveral() && waitKind == WaitKind.NO_WAIT;
    }

    /** Nor here. A row that is locked behind a savepoint becomes a MultiXact when it is updated. */
    boolean isRowTry() {
        return !isAdvisory() && tail == null && waitKind == WaitKind.NO_WAIT && isOneRow();
    }

    /** Whether a refusal of the guard must raise an error, since what follows in the round trip must not run. */
    boolean isRaising() {
        return isAdvisory() && (!isAdvisoryAlone() || (waitKind == WaitKind.NO_WAIT && !isAdvisoryTry()));
    }

    /** Whether a row lock behind the advisory lock refuses what is no table, or not the role's to lock. */
    boolean isTableChecked() {
        return rows.size() == 1 && rows.get(0).table().identity() != Identity.GIVEN;
    }

    private boolean isAdvisoryAlone() {
        return isAdvisory() && rows.isEmpty() && inserts.isEmpty() && tail == null;
    }
}
