package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.Flush.Savepoint;
import org.rowlock.internal.sql.LockPlan.RowPart;
import org.rowlock.internal.sql.Part.Result;

/** Puts the parts of a plan in their order. */
final class FlushBuilder {
    private final FlushForms forms;
    private final LockPlan plan;
    private final boolean rowTry;
    private final boolean bounded;
    private final Savepoint savepoint;
    private final List<Part> parts = new ArrayList<>();

    FlushBuilder(FlushForms forms, LockPlan plan) {
        this.forms = forms;
        this.plan = plan;
        this.rowTry = plan.isRowTry() && forms.canTryOneRow();
        this.bounded = plan.waitKind() != WaitKind.FOREVER && !plan.isAdvisoryTry() && !rowTry;
        this.savepoint = savepoint();
    }

    private Savepoint savepoint() {
        if (!plan.begun()) {
            return Savepoint.NONE;
        }
        if (bounded) {
            return Savepoint.AROUND;
        }
        return plan.isRaising() && !plan.anyIsolation() ? Savepoint.AROUND_GUARD : Savepoint.NONE;
    }

    /**
     * Builds the flush.
     *
     * @param request for forms that are not {@linkplain FlushForms#isOfPlan of the plan alone}
     */
    Flush build(ResolvedRequest request) {
        boolean armed = forms.isArmed(plan);
        if (plan.watch() != null) {
            parts.addAll(WaitSql.watch(plan.watch()));
        }
        if (savepoint != Savepoint.NONE) {
            parts.add(WaitSql.SAVEPOINT);
        }
        if (armed) {
            parts.addAll(forms.arm());
        }
        if (plan.fronted()) {
            parts.add(WaitSql.FRONT);
            if (armed) {
                parts.add(WaitSql.REARM);
            }
        }
        if (plan.isAdvisory()) {
            parts.addAll(forms.advisoryLock(plan));
        }
        if (savepoint == Savepoint.AROUND_GUARD) {
            parts.add(WaitSql.RELEASE);
        }
        addInserts();
        addRows(request);
        addMeanings();
        if (armed) {
            parts.add(forms.restore());
        }
        if (plan.tail() != null) {
            parts.add(Part.withoutBinds(plan.tail(), Result.TAIL));
        }
        if (savepoint == Savepoint.AROUND && !plan.committing()) {
            parts.add(WaitSql.RELEASE);
        }
        return new Flush(parts, bounded, savepoint);
    }

    /** In front of the row locks, which see what they have inserted. */
    private void addInserts() {
        for (int i = 0; i < plan.inserts().size(); i++) {
            int index = i;
            if (plan.waitKind() == WaitKind.AT_MOST) {
                parts.add(forms.rearm());
            }
            parts.add(new Part(
                    plan.inserts().get(i),
                    (statement, at, request) -> Tail.bind(
                            statement, at, request.inserts().get(index).binds()),
                    Result.IGNORED));
        }
    }

    private void addRows(ResolvedRequest request) {
        if (rowTry) {
            RowPart row = plan.rows().get(0);
            parts.add(RowSql.oneIfFree(row.table(), row.mode()));
            parts.add(RowSql.look(row.table()));
        } else {
            parts.addAll(forms.rowLocks(plan, request));
        }
        // The parts of a table are next to each other, and one check of it is enough.
        plan.rows().stream()
                .map(RowPart::table)
                .filter(table -> table.identity() == Identity.CATALOG)
                .distinct()
                .map(RowSql::verify)
                .forEach(parts::add);
    }

    private void addMeanings() {
        List<RowTable> tables = plan.keysAlone();
        for (int group = 0; group < tables.size(); group++) {
            if (tables.get(group).isIdOpen()) {
                parts.add(RowSql.meanings(tables.get(group), group));
            }
        }
    }
}
