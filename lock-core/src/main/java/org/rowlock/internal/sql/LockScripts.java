package org.rowlock.internal.sql;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.LockRequest;
import org.rowlock.internal.request.WaitKind;

/** The scripts of requests, kept by their plans, since an application has few different ones. */
public final class LockScripts {
    /** Beyond this many the caller's SQL is not a constant, and keeping it would be a leak. */
    private static final int MOST_KEPT = 1_000;

    private static final int MODES = RowLockMode.values().length;
    private static final int WAITS = WaitKind.values().length;
    private static final int SINGLE_FORMS = Shape.values().length * MODES * WAITS * 4;

    private final ScriptForms forms;

    private final ConcurrentMap<LockPlan, LockScript> kept = new ConcurrentHashMap<>();

    /** Of one advisory lock alone, by its table: the hot path, which needs no {@link LockPlan} to be made. */
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
     * The script of a request.
     *
     * @param begun whether the transaction has begun
     * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
     * @param query what is run behind the locks
     */
    public LockScript script(LockRequest request, boolean begun, boolean anyIsolation, @Nullable LockQuery<?> query) {
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
        if (script == null) {
            script = build(plan, request);
            if (kept.size() < MOST_KEPT) {
                kept.put(plan, script);
            }
        }
        return script;
    }

    private LockScript build(LockPlan plan, LockRequest request) {
        return new ScriptBuilder(forms, plan).build(request);
    }

    /** A race builds the same script twice, and a script is immutable. Ordinals, as an index allocates nothing. */
    @SuppressWarnings("EnumOrdinal")
    private LockScript single(LockRequest request, boolean begun, boolean anyIsolation) {
        WaitKind wait = WaitKind.of(request.lockWait());
        String table = request.first().tableOrNull();
        String place = table == null ? "" : table;
        @Nullable LockScript[] ofTable = keptSingle.get(place);
        if (ofTable == null) {
            ofTable = new LockScript[SINGLE_FORMS];
            if (keptSingle.size() < MOST_KEPT) {
                keptSingle.put(place, ofTable);
            }
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
