package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.LockPlan.RowPart;
import org.rowlock.internal.sql.LockScript.Savepoint;
import org.rowlock.internal.sql.ScriptStatement.Result;

/** Puts the statements of a plan in their order. */
final class ScriptBuilder {
    private final ScriptForms forms;
    private final LockPlan plan;
    private final boolean rowTry;
    private final boolean bounded;
    private final Savepoint savepoint;
    private final List<ScriptStatement> statements = new ArrayList<>();

    ScriptBuilder(ScriptForms forms, LockPlan plan) {
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
     * Builds the script.
     *
     * @param request for forms that are not {@linkplain ScriptForms#isOfPlan of the plan alone}
     */
    LockScript build(ResolvedRequest request) {
        boolean armed = forms.isArmed(plan);
        if (plan.watch() != null) {
            statements.addAll(WaitSql.watch(plan.watch()));
        }
        if (savepoint != Savepoint.NONE) {
            statements.add(WaitSql.SAVEPOINT);
        }
        if (armed) {
            statements.addAll(forms.arm());
        }
        if (plan.isAdvisory()) {
            statements.addAll(forms.advisoryLock(plan));
        }
        if (savepoint == Savepoint.AROUND_GUARD) {
            statements.add(WaitSql.RELEASE);
        }
        addRows(request);
        addMeanings();
        if (armed) {
            statements.add(forms.restore());
        }
        if (plan.query() != null) {
            statements.add(query(plan.query()));
        }
        if (savepoint == Savepoint.AROUND && !plan.committing()) {
            statements.add(WaitSql.RELEASE);
        }
        return new LockScript(statements, bounded, savepoint);
    }

    private void addRows(ResolvedRequest request) {
        if (rowTry) {
            RowPart row = plan.rows().get(0);
            statements.add(RowSql.oneIfFree(row.table(), row.mode()));
            statements.add(RowSql.look(row.table()));
        } else {
            statements.addAll(forms.rowLocks(plan, request));
        }
        // The parts of a table are next to each other, and one check of it is enough.
        plan.rows().stream()
                .map(RowPart::table)
                .filter(table -> table.identity() == Identity.CATALOG)
                .distinct()
                .map(RowSql::verify)
                .forEach(statements::add);
    }

    private void addMeanings() {
        List<RowTable> tables = plan.keysAlone();
        for (int group = 0; group < tables.size(); group++) {
            if (tables.get(group).isIdOpen()) {
                statements.add(RowSql.meanings(tables.get(group), group));
            }
        }
    }

    private static ScriptStatement query(String sql) {
        return new ScriptStatement(
                sql,
                (statement, at, values) -> {
                    LockQuery<?> query = values.query();
                    return query == null ? at : query.bind(statement, at);
                },
                Result.QUERY);
    }
}
