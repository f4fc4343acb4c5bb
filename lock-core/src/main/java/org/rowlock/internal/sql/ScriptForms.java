package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.LockPlan.RowPart;

/** What a script is made of, on PostgreSQL. Where locking takes other statements there is a subclass. */
class ScriptForms {
    /** Whether one row can be tried without a savepoint. */
    boolean canTryOneRow() {
        return true;
    }

    /** Whether the script is a function of the plan, and no value of the request is in it. */
    boolean isOfPlan(LockPlan plan) {
        return true;
    }

    /** Whether the waits are bounded by a setting. */
    boolean isArmed(LockPlan plan) {
        return plan.waitKind() == WaitKind.AT_MOST;
    }

    List<ScriptStatement> arm() {
        return List.of(WaitSql.ARM);
    }

    ScriptStatement restore() {
        return WaitSql.RESTORE;
    }

    List<ScriptStatement> advisoryLock(LockPlan plan) {
        return List.of(AdvisorySql.lock(plan, KeySql.holding(plan.tables(), plan.keysAlone())));
    }

    /**
     * The statements that lock rows.
     *
     * @param request for forms that are not of the plan alone
     */
    List<ScriptStatement> rowLocks(LockPlan plan, ResolvedRequest request) {
        List<ScriptStatement> statements = new ArrayList<>(2);
        for (int group = 0; group < plan.rows().size(); group++) {
            if (plan.waitKind() == WaitKind.AT_MOST && (plan.isAdvisory() || group > 0)) {
                statements.add(WaitSql.REARM);
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
