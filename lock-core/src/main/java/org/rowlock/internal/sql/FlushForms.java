package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.Flush.Savepoint;
import org.rowlock.internal.sql.LockPlan.RowPart;
import org.rowlock.internal.sql.Part.Result;

/** Puts the parts of a plan in their order, on PostgreSQL. Where locking takes other statements there is a subclass. */
class FlushForms {
    private final List<Part> arm;
    private final Part rearm;
    private final Part restore;

    FlushForms() {
        this(List.of(WaitSql.ARM), WaitSql.REARM, WaitSql.RESTORE);
    }

    /**
     * @param arm what bounds the waits
     * @param rearm so that the waits of all statements together stay within the bound
     * @param restore gives the caller its own bound back
     */
    FlushForms(List<Part> arm, Part rearm, Part restore) {
        this.arm = arm;
        this.rearm = rearm;
        this.restore = restore;
    }

    /** @param request for forms that are not {@linkplain #isOfPlan of the plan alone} */
    final Flush flush(LockPlan plan, ResolvedRequest request, @Nullable Tail tail) {
        List<Part> parts = new ArrayList<>();
        boolean bounded = plan.waitKind() != WaitKind.FOREVER && !plan.isAdvisoryTry() && !isRowTry(plan);
        Savepoint savepoint = savepoint(plan, bounded);
        boolean armed = isArmed(plan);
        if (plan.watch() != null) {
            parts.addAll(WaitSql.watch(plan.watch()));
        }
        if (savepoint != Savepoint.NONE) {
            parts.add(WaitSql.SAVEPOINT);
        }
        if (armed) {
            parts.addAll(arm);
        }
        if (plan.fronted()) {
            parts.add(WaitSql.FRONT);
            if (armed) {
                parts.add(WaitSql.REARM);
            }
        }
        if (plan.isAdvisory()) {
            parts.addAll(advisoryLock(plan));
        }
        if (savepoint == Savepoint.AROUND_GUARD) {
            parts.add(WaitSql.RELEASE);
        }
        addInserts(plan, parts);
        addRows(plan, request, parts);
        for (int group = 0; group < plan.keysAlone().size(); group++) {
            RowTable table = plan.keysAlone().get(group);
            if (table.isIdOpen()) {
                parts.add(RowSql.meanings(table, group));
            }
        }
        if (armed) {
            parts.add(restore);
        }
        if (tail != null) {
            parts.add(Part.withoutBinds(tail.sql(), Result.TAIL));
        }
        if (savepoint == Savepoint.AROUND && !plan.committing()) {
            parts.add(WaitSql.RELEASE);
        }
        return Flush.of(parts, bounded, savepoint);
    }

    private static Savepoint savepoint(LockPlan plan, boolean bounded) {
        if (!plan.begun()) {
            return Savepoint.NONE;
        }
        if (bounded) {
            return Savepoint.AROUND;
        }
        return plan.isRaising() && !plan.anyIsolation() ? Savepoint.AROUND_GUARD : Savepoint.NONE;
    }

    /** In front of the row locks, which see what they have inserted. */
    private void addInserts(LockPlan plan, List<Part> parts) {
        for (int i = 0; i < plan.inserts().size(); i++) {
            int index = i;
            if (plan.waitKind() == WaitKind.AT_MOST) {
                parts.add(rearm);
            }
            parts.add(new Part(
                    plan.inserts().get(i),
                    (statement, at, request) -> Tail.bind(
                            statement, at, request.inserts().get(index).binds()),
                    Result.IGNORED));
        }
    }

    private void addRows(LockPlan plan, ResolvedRequest request, List<Part> parts) {
        if (isRowTry(plan)) {
            RowPart row = plan.rows().get(0);
            parts.add(RowSql.oneIfFree(row.table(), row.mode()));
            parts.add(RowSql.look(row.table()));
        } else {
            parts.addAll(rowLocks(plan, request));
        }
        // The parts of a table are next to each other, and one check of it is enough.
        plan.rows().stream()
                .map(RowPart::table)
                .filter(table -> table.identity() == Identity.CATALOG)
                .distinct()
                .map(RowSql::verify)
                .forEach(parts::add);
    }

    /** Whether one row is tried without a savepoint. */
    boolean isRowTry(LockPlan plan) {
        return plan.isRowTry();
    }

    /** Whether the flush is a function of the plan, and no value of the request is in it. */
    boolean isOfPlan(LockPlan plan) {
        return true;
    }

    /** Whether the waits are bounded by a setting. */
    boolean isArmed(LockPlan plan) {
        return plan.waitKind() == WaitKind.AT_MOST;
    }

    List<Part> advisoryLock(LockPlan plan) {
        return List.of(AdvisorySql.lock(plan, KeySql.holding(plan.tables(), plan.keysAlone())));
    }

    List<Part> rowLocks(LockPlan plan, ResolvedRequest request) {
        List<Part> statements = new ArrayList<>(2);
        for (int group = 0; group < plan.rows().size(); group++) {
            if (plan.waitKind() == WaitKind.AT_MOST
                    && (plan.isAdvisory() || !plan.inserts().isEmpty() || group > 0)) {
                statements.add(rearm);
            }
            RowPart part = plan.rows().get(group);
            statements.add(
                    plan.isOneRow()
                            ? RowSql.one(part.table(), part.mode(), plan.waitKind())
                            : RowSql.many(part.table(), group, part.mode(), plan.waitKind()));
        }
        return statements;
    }
}
