package org.rowlock.internal.sql;

import java.util.List;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.LockRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.WaitKind;

/** What a script is made of, on PostgreSQL. Where locking takes other statements there is a subclass. */
class ScriptForms {
    /** Whether one row can be tried without a savepoint. */
    boolean canTryOneRow() {
        return true;
    }

    /** Whether the waits are bounded by a setting. */
    boolean isArmed(WaitKind wait, List<RowGroup> rows) {
        return wait == WaitKind.AT_MOST;
    }

    List<ScriptStatement> arm() {
        return List.of(WaitSql.ARM);
    }

    ScriptStatement restore() {
        return WaitSql.RESTORE;
    }

    List<ScriptStatement> advisoryLock(
            AdvisoryKeys keys,
            List<RowTable> known,
            RowLockMode mode,
            WaitKind wait,
            boolean anyIsolation,
            boolean raising,
            boolean tableChecked) {
        return List.of(
                AdvisorySql.lock(keys.shape(), keys.tables(), known, mode, wait, anyIsolation, raising, tableChecked));
    }

    void addRowLocks(List<ScriptStatement> statements, List<RowGroup> rows, WaitKind wait, boolean behindAdvisory) {
        for (int group = 0; group < rows.size(); group++) {
            if (wait == WaitKind.AT_MOST && (behindAdvisory || group > 0)) {
                statements.add(WaitSql.REARM);
            }
            RowGroup rowGroup = rows.get(group);
            statements.add(
                    LockScripts.isOneRow(rows)
                            ? RowSql.one(rowGroup.table(), rowGroup.mode(), wait)
                            : RowSql.many(rowGroup.table(), group, rowGroup.mode(), wait));
        }
    }
}
