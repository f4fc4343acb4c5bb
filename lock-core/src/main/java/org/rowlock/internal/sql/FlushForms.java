package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.LockPlan.RowPart;

/** What a flush is made of, on PostgreSQL. Where locking takes other statements there is a subclass. */
class FlushForms {
    /** Whether one row can be tried without a savepoint. */
    boolean canTryOneRow() {
        return true;
    }

    /** Whether the flush is a function of the plan, and no value of the request is in it. */
    boolean isOfPlan(LockPlan plan) {
        return true;
    }

    /** Whether the waits are bounded by a setting. */
    boolean isArmed(LockPlan plan) {
        return plan.waitKind() == WaitKind.AT_MOST;
    }

    List<Part> arm() {
        return List.of(WaitSql.ARM);
    }

    /** So that the waits of all statements together stay within the bound. */
    Part rearm() {
        return WaitSql.REARM;
    }

    Part restore() {
        return WaitSql.RESTORE;
    }

    List<Part> advisoryLock(LockPlan plan) {
        return List.of(AdvisorySql.lock(plan, KeySql.holding(plan.tables(), plan.keysAlone())));
    }

    /**
     * The statements that lock rows.
     *
     * @param request for forms that are not of the plan alone
     */
    List<Part> rowLocks(LockPlan plan, ResolvedRequest request) {
        List<Part> statements = new ArrayList<>(2);
        for (int group = 0; group < plan.rows().size(); group++) {
            if (plan.waitKind() == WaitKind.AT_MOST
                    && (plan.isAdvisory() || !plan.inserts().isEmpty() || group > 0)) {
                statements.add(rearm());
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
