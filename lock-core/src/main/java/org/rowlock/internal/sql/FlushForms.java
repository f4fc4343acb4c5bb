package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.ResolvedRequest.Shape;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;

/**
 * Builds the flush of a request for PostgreSQL. {@link CitusForms} builds the flush for Citus. The flush is cached for
 * later requests, so its binders must not refer to the present request.
 */
class FlushForms {
    final ResolvedRequest asked;
    final WaitKind wait;
    final Shape shape;

    /** Whether the check of the transaction allows REPEATABLE READ and SERIALIZABLE. */
    final boolean anyIsolation;

    /** Whether the transaction has begun before this flush, and must not be rolled back as a whole. */
    private final boolean begun;

    /** Whether statements of the caller follow the locks. These statements must not run without the locks. */
    private final boolean behind;

    /** Whether an absent row must prevent the statements after the locks. */
    private final boolean required;

    /**
     * The parts that limit the waits.
     *
     * @param arm sets the bound
     * @param rearm sets the bound to the remaining time
     * @param restore restores the caller's own lock_timeout
     */
    record Bound(List<Part> arm, Part rearm, Part restore) {}

    FlushForms(ResolvedRequest asked, boolean begun, boolean anyIsolation, boolean behind, boolean required) {
        this.asked = asked;
        this.wait = asked.waitKind();
        this.shape = asked.shape();
        this.begun = begun;
        this.anyIsolation = anyIsolation;
        this.behind = behind;
        this.required = required;
    }

    final Flush flush() {
        List<Part> parts = new ArrayList<>();
        boolean bounded = wait != WaitKind.FOREVER && !isAdvisoryTry() && !isRowTry();
        boolean checkSaved = begun && !bounded && isRaising() && !anyIsolation;
        boolean armed = isArmed();
        boolean saved = begun && bounded;
        if (saved || checkSaved) {
            parts.add(WaitSql.SAVEPOINT);
        }
        if (armed) {
            parts.addAll(bound().arm());
        }
        if (asked.front() != null) {
            parts.addAll(WaitSql.front(asked.rows().get(0).table(), wait));
            if (armed) {
                parts.add(WaitSql.REARM);
            }
        }
        if (isAdvisory()) {
            addAdvisoryLock(parts);
        }
        if (checkSaved) {
            parts.add(WaitSql.RELEASE);
        }
        addInserts(parts);
        addRows(parts);
        if (armed) {
            parts.add(bound().restore());
        }
        if (saved && !behind) {
            parts.add(WaitSql.RELEASE);
        }
        return Flush.of(parts, bounded, checkSaved, saved);
    }

    /** Adds the caller's INSERTs. The row locks follow, and find the inserted rows. */
    private void addInserts(List<Part> parts) {
        for (int i = 0; i < asked.inserts().size(); i++) {
            int index = i;
            if (wait == WaitKind.AT_MOST) {
                parts.add(bound().rearm());
            }
            parts.add(new Part(
                    asked.inserts().get(i).text(),
                    (statement, at, request) -> Part.bind(
                            statement, at, request.inserts().get(index).binds()),
                    Part.UNREAD));
        }
    }

    private void addRows(List<Part> parts) {
        if (isRowTry()) {
            RowGroup row = asked.rows().get(0);
            parts.add(RowSql.oneIfFree(row.table(), row.mode()));
            parts.add(RowSql.readUnlocked(row.table()));
        } else {
            addRowLocks(parts);
        }
        RowTable verified = null;
        for (RowGroup group : asked.rows()) {
            // The groups of a table are adjacent, so a table is checked only once.
            if (group.table().identity() == Identity.CATALOG && !group.table().equals(verified)) {
                verified = group.table();
                parts.add(RowSql.verify(verified));
            }
        }
    }

    final boolean isAdvisory() {
        return shape != Shape.NONE;
    }

    private boolean isAdvisoryAlone() {
        return isAdvisory() && asked.rows().isEmpty() && asked.inserts().isEmpty() && !behind;
    }

    /** Whether the flush only tries to acquire one advisory lock. A failed attempt needs no rollback. */
    private boolean isAdvisoryTry() {
        return isAdvisoryAlone() && !shape.isSeveral() && wait == WaitKind.NO_WAIT;
    }

    /**
     * Whether the flush tries to lock one row without a savepoint. A savepoint is avoided, because the server creates a
     * MultiXact if a row is locked after a savepoint and updated later.
     */
    boolean isRowTry() {
        return !isAdvisory()
                && !behind
                && wait == WaitKind.NO_WAIT
                && asked.isOneRow()
                && asked.rows().get(0).table().isLookable();
    }

    /** Whether the check must raise an error if it refuses the lock, so that the following statements do not run. */
    final boolean isRaising() {
        return isAdvisory() && (!isAdvisoryAlone() || (wait == WaitKind.NO_WAIT && !isAdvisoryTry()));
    }

    /**
     * Whether a row lock by the primary key follows the advisory lock. The row lock then raises the error if the table
     * is unsuitable, or if the role lacks the privilege to lock the rows.
     */
    final boolean isTableChecked() {
        return asked.rows().size() == 1 && asked.rows().get(0).table().identity() != Identity.GIVEN;
    }

    Bound bound() {
        return WaitSql.BOUND;
    }

    /** Whether the flush sets lock_timeout. */
    boolean isArmed() {
        return wait == WaitKind.AT_MOST;
    }

    void addAdvisoryLock(List<Part> parts) {
        parts.add(AdvisorySql.lock(this, KeySql.holding(ResolvedRequest.tablesOf(asked.advisory()), asked.typed())));
    }

    void addRowLocks(List<Part> parts) {
        List<RowGroup> groups = asked.rows();
        for (int group = 0; group < groups.size(); group++) {
            if (wait == WaitKind.AT_MOST && (isAdvisory() || !asked.inserts().isEmpty() || group > 0)) {
                parts.add(bound().rearm());
            }
            RowGroup of = groups.get(group);
            parts.add(
                    asked.isOneRow()
                            ? RowSql.one(of.table(), of.mode(), wait, required)
                            : ManyRowsSql.lock(of.table(), group, of.mode(), wait, required));
        }
    }
}
