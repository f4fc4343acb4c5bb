package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.WaitKind;

/** The flushes of requests, kept by their plans, since an application has few different ones. */
public final class Flushes {
    private static final int MODES = RowLockMode.values().length;
    private static final int WAITS = WaitKind.values().length;
    private static final int SINGLE_FORMS = Shape.values().length * MODES * WAITS * 8;

    private static final Flushes WITHOUT_LOCKS = new Flushes();

    private final FlushForms forms;

    private final Kept<LockPlan, Flush> kept = new Kept<>();

    /**
     * Of one key alone: the hot path, which needs no {@link LockPlan} to be made. By the {@link RowTable} if its row is
     * locked, else by the name of the table of the advisory lock.
     */
    private final Kept<Object, @Nullable Flush[]> keptSingle = new Kept<>();

    public Flushes() {
        this(new FlushForms());
    }

    private Flushes(FlushForms forms) {
        this.forms = forms;
    }

    public static Flushes forCitus() {
        return new Flushes(new CitusForms());
    }

    public boolean areForCitus() {
        return forms instanceof CitusForms;
    }

    /** A flush without locks: writes, and maybe the COMMIT. */
    public static Flush alone(Tail tail) {
        return WITHOUT_LOCKS.flush(ResolvedRequest.NONE, false, true, tail);
    }

    /**
     * The flush of a request.
     *
     * @param begun whether the transaction has begun
     * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
     * @param tail what is run behind the locks
     */
    public Flush flush(ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable Tail tail) {
        if (tail == null && isSingle(request)) {
            return single(request, begun, anyIsolation);
        }
        LockPlan plan = LockPlan.of(request, begun, anyIsolation, tail);
        if (!forms.isOfPlan(plan) || (tail != null && !tail.isKept())) {
            return forms.flush(plan, request, tail);
        }
        Flush flush = kept.get(plan);
        return flush == null ? kept.keep(plan, forms.flush(plan, request, tail)) : flush;
    }

    private static boolean isSingle(ResolvedRequest request) {
        if (request.keys().size() != 1
                || !request.keysAlone().isEmpty()
                || !request.inserts().isEmpty()) {
            return false;
        }
        if (request.rows().isEmpty()) {
            return true;
        }
        // Two spellings of a row are one key and two rows.
        RowGroup group = request.rows().get(0);
        return request.rows().size() == 1 && group.keys().size() == 1 && group.mode() == request.mode();
    }

    /** A race builds the same flush twice, and a flush is immutable. Ordinals, as an index allocates nothing. */
    @SuppressWarnings("EnumOrdinal")
    private Flush single(ResolvedRequest request, boolean begun, boolean anyIsolation) {
        WaitKind wait = request.waitKind();
        Object place = place(request);
        @Nullable Flush[] ofTable = keptSingle.get(place);
        if (ofTable == null) {
            ofTable = keptSingle.keep(place, new Flush[SINGLE_FORMS]);
        }
        int shape = request.advisory().shape().ordinal();
        int form = ((shape * MODES + request.mode().ordinal()) * WAITS + wait.ordinal()) * 8
                + (begun ? 4 : 0)
                + (anyIsolation ? 2 : 0)
                + (request.front() == null ? 0 : 1);
        Flush flush = ofTable[form];
        if (flush == null) {
            flush = forms.flush(LockPlan.of(request, begun, anyIsolation, null), request, null);
            ofTable[form] = flush;
        }
        return flush;
    }

    private static Object place(ResolvedRequest request) {
        if (!request.rows().isEmpty()) {
            return request.rows().get(0).table();
        }
        String table = request.first().tableOrNull();
        return table == null ? "" : table;
    }
}
