package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.WaitKind;

/** The scripts of requests, kept by their plans, since an application has few different ones. */
public final class LockScripts {
    private static final int MODES = RowLockMode.values().length;
    private static final int WAITS = WaitKind.values().length;
    private static final int SINGLE_FORMS = Shape.values().length * MODES * WAITS * 4;

    private final ScriptForms forms;

    private final Kept<LockPlan, LockScript> kept = new Kept<>();

    /** Of one advisory lock alone, by its table: the hot path, which needs no {@link LockPlan} to be made. */
    private final Kept<String, @Nullable LockScript[]> keptSingle = new Kept<>();

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
     * The script of a request.
     *
     * @param begun whether the transaction has begun
     * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
     * @param query what is run behind the locks
     */
    public LockScript script(
            ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable LockQuery<?> query) {
        if (query == null
                && request.rows().isEmpty()
                && request.keysAlone().isEmpty()
                && request.keys().size() == 1) {
            return single(request, begun, anyIsolation);
        }
        LockPlan plan = LockPlan.of(request, begun, anyIsolation, query);
        if (!forms.isOfPlan(plan)) {
            return build(plan, request);
        }
        LockScript script = kept.get(plan);
        return script == null ? kept.keep(plan, build(plan, request)) : script;
    }

    private LockScript build(LockPlan plan, ResolvedRequest request) {
        return new ScriptBuilder(forms, plan).build(request);
    }

    /** A race builds the same script twice, and a script is immutable. Ordinals, as an index allocates nothing. */
    @SuppressWarnings("EnumOrdinal")
    private LockScript single(ResolvedRequest request, boolean begun, boolean anyIsolation) {
        WaitKind wait = WaitKind.of(request.lockWait());
        String table = request.first().tableOrNull();
        String place = table == null ? "" : table;
        @Nullable LockScript[] ofTable = keptSingle.get(place);
        if (ofTable == null) {
            ofTable = keptSingle.keep(place, new LockScript[SINGLE_FORMS]);
        }
        int shape = request.advisory().shape().ordinal();
        int form = ((shape * MODES + request.mode().ordinal()) * WAITS + wait.ordinal()) * 4
                + (begun ? 2 : 0)
                + (anyIsolation ? 1 : 0);
        LockScript script = ofTable[form];
        if (script == null) {
            script = build(LockPlan.of(request, begun, anyIsolation, null), request);
            ofTable[form] = script;
        }
        return script;
    }
}
