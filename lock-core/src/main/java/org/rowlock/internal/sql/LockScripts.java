package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.LockRequest;
import org.rowlock.internal.request.LockRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.LockScript.Savepoint;
import org.rowlock.internal.sql.ScriptStatement.Result;

/**
 * Composes the script of a request and keeps it, since an application has few different ones. A pure function of the
 * request's form: no value of a call goes into the text.
 */
public final class LockScripts {
    /** Beyond this many the caller's SQL is not a constant, and keeping it would be a leak. */
    private static final int MOST_KEPT = 1_000;

    private static final int MODES = RowLockMode.values().length;
    private static final int WAITS = WaitKind.values().length;
    private static final int SINGLE_FORMS = Shape.values().length * MODES * WAITS * 4;

    private final ScriptForms forms;

    private final ConcurrentMap<Form, LockScript> kept = new ConcurrentHashMap<>();

    /** Of one advisory lock alone, by its table: the hot path, which needs no {@link Form} to be made. */
    private final ConcurrentMap<String, @Nullable LockScript[]> keptSingle = new ConcurrentHashMap<>();

    public LockScripts() {
        this(new ScriptForms());
    }

    private LockScripts(ScriptForms forms) {
        this.forms = forms;
    }

    public static LockScripts forCitus() {
        return new LockScripts(new CitusForms());
    }

    /**
     * The form of a request: all that its text depends on.
     *
     * @param tables the tables of the advisory locks
     * @param begun whether the transaction has begun, so that a failure cannot roll back all of it
     * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
     * @param table the table of the only row lock, where the request is for one row
     * @param keysAlone that of the keys alone, where they are of one table
     * @param query the caller's own statement
     */
    private record Form(
            Shape shape,
            List<String> tables,
            RowLockMode mode,
            WaitKind waitKind,
            boolean begun,
            boolean anyIsolation,
            @Nullable RowTable table,
            @Nullable RowTable keysAlone,
            @Nullable String query) {}

    public LockScript script(LockRequest request, boolean begun, boolean anyIsolation, @Nullable LockQuery<?> query) {
        WaitKind wait = WaitKind.of(request.lockWait());
        String sql = query == null ? null : query.sql();
        boolean committing = query != null && query.isCommitting();
        List<RowGroup> rows = request.rows();
        List<RowGroup> keysAlone = request.keysAlone();
        if (sql == null
                && rows.isEmpty()
                && keysAlone.isEmpty()
                && request.keys().size() == 1) {
            return single(request, wait, begun, anyIsolation);
        }
        if (keysAlone.size() > 1 || rows.size() > 1 || (rows.size() == 1 && !isOneRow(rows))) {
            return compose(
                    request.advisory(), request.mode(), wait, begun, anyIsolation, rows, keysAlone, sql, committing);
        }
        RowTable table = rows.isEmpty() ? null : rows.get(0).table();
        // Where the row's mode is not the request's, the keys are of mixed modes, and then only the row's is in the
        // text.
        RowLockMode mode = rows.isEmpty() ? request.mode() : rows.get(0).mode();
        AdvisoryKeys advisory = request.advisory();
        Form form = new Form(
                advisory.shape(),
                advisory.tables(),
                mode,
                wait,
                begun,
                anyIsolation,
                table,
                keysAlone.isEmpty() ? null : keysAlone.get(0).table(),
                sql);
        LockScript script = kept.get(form);
        if (script == null) {
            script = compose(advisory, mode, wait, begun, anyIsolation, rows, keysAlone, sql, committing);
            if (kept.size() < MOST_KEPT) {
                kept.put(form, script);
            }
        }
        return script;
    }

    /** A race composes the same script twice, and a script is immutable. Ordinals, as an index allocates nothing. */
    @SuppressWarnings("EnumOrdinal")
    private LockScript single(LockRequest request, WaitKind wait, boolean begun, boolean anyIsolation) {
        AdvisoryKeys advisory = request.advisory();
        String table = request.first().tableOrNull();
        String place = table == null ? "" : table;
        @Nullable LockScript[] ofTable = keptSingle.get(place);
        if (ofTable == null) {
            ofTable = new LockScript[SINGLE_FORMS];
            if (keptSingle.size() < MOST_KEPT) {
                keptSingle.put(place, ofTable);
            }
        }
        int form = ((advisory.shape().ordinal() * MODES + request.mode().ordinal()) * WAITS + wait.ordinal()) * 4
                + (begun ? 2 : 0)
                + (anyIsolation ? 1 : 0);
        LockScript script = ofTable[form];
        if (script == null) {
            script = compose(advisory, request.mode(), wait, begun, anyIsolation, List.of(), List.of(), null, false);
            ofTable[form] = script;
        }
        return script;
    }

    private LockScript compose(
            AdvisoryKeys keys,
            RowLockMode mode,
            WaitKind wait,
            boolean begun,
            boolean anyIsolation,
            List<RowGroup> rows,
            List<RowGroup> keysAlone,
            @Nullable String query,
            boolean committing) {
        boolean advisory = !keys.isEmpty();
        boolean advisoryAlone = advisory && rows.isEmpty() && query == null;
        // A single try needs no savepoint: when it fails nothing has happened.
        boolean singleTry = advisoryAlone && !keys.shape().isSeveral() && wait == WaitKind.NO_WAIT;
        // Nor does a single row. A row that is locked behind a savepoint becomes a MultiXact when it is updated.
        boolean singleRowTry =
                !advisory && query == null && wait == WaitKind.NO_WAIT && isOneRow(rows) && forms.canTryOneRow();
        boolean bounded = wait != WaitKind.FOREVER && !singleTry && !singleRowTry;
        boolean raising = advisory && (!advisoryAlone || (wait == WaitKind.NO_WAIT && !singleTry));
        Savepoint savepoint = !begun
                ? Savepoint.NONE
                : bounded ? Savepoint.AROUND : raising && !anyIsolation ? Savepoint.AROUND_GUARD : Savepoint.NONE;
        boolean armed = forms.isArmed(wait, rows);
        List<RowTable> known = keysAlone.stream().map(RowGroup::table).toList();
        List<ScriptStatement> statements = new ArrayList<>();
        if (savepoint != Savepoint.NONE) {
            statements.add(WaitSql.SAVEPOINT);
        }
        if (armed) {
            statements.addAll(forms.arm());
        }
        if (advisory) {
            boolean tableChecked = rows.size() == 1 && rows.get(0).table().identity() != Identity.GIVEN;
            statements.addAll(forms.advisoryLock(keys, known, mode, wait, anyIsolation, raising, tableChecked));
        }
        if (savepoint == Savepoint.AROUND_GUARD) {
            statements.add(WaitSql.RELEASE);
        }
        if (singleRowTry) {
            RowGroup row = rows.get(0);
            statements.add(RowSql.oneIfFree(row.table(), row.mode()));
            statements.add(RowSql.look(row.table()));
        } else {
            forms.addRowLocks(statements, rows, wait, advisory);
        }
        for (int group = 0; group < rows.size(); group++) {
            RowTable table = rows.get(group).table();
            // The groups of a table are next to each other, and one check of it is enough.
            if (table.identity() == Identity.CATALOG
                    && (group == 0 || !table.equals(rows.get(group - 1).table()))) {
                statements.add(RowSql.verify(table));
            }
        }
        for (int group = 0; group < keysAlone.size(); group++) {
            if (known.get(group).isIdOpen()) {
                statements.add(RowSql.meanings(known.get(group), group));
            }
        }
        if (armed) {
            statements.add(forms.restore());
        }
        if (query != null) {
            statements.add(query(query));
        }
        if (savepoint == Savepoint.AROUND && !committing) {
            statements.add(WaitSql.RELEASE);
        }
        return new LockScript(statements, bounded, savepoint);
    }

    static boolean isOneRow(List<RowGroup> rows) {
        return rows.size() == 1 && rows.get(0).keys().size() == 1;
    }

    static ScriptStatement query(String sql) {
        return new ScriptStatement(
                sql,
                (statement, at, values) -> {
                    LockQuery<?> query = values.query();
                    return query == null ? at : query.bind(statement, at);
                },
                Result.QUERY);
    }
}
