package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.text.Insert;

/** The flushes of requests, kept by all that their text depends on, since an application has few different ones. */
public final class Flushes {
    private static final int MODES = RowLockMode.values().length;
    private static final int WAITS = WaitKind.values().length;
    private static final int SINGLE_FORMS = Shape.values().length * MODES * WAITS * 16;

    /** Of a {@link #key} with one row lock. */
    private static final int KEY_SIZE = 5;

    private final boolean onCitus;

    private final Kept<List<Object>, Flush> kept = new Kept<>();
    private final Kept<List<String>, String> texts = new Kept<>();

    /**
     * Of one key alone: the hot path, which needs no key to be made. By the {@link RowTable} if its row is locked, else
     * by the name of the table of the advisory lock.
     */
    private final Kept<Object, @Nullable Flush[]> keptSingle = new Kept<>();

    /** @param onCitus whether the database has Citus, see {@link CitusForms} */
    public Flushes(boolean onCitus) {
        this.onCitus = onCitus;
    }

    public boolean areForCitus() {
        return onCitus;
    }

    /**
     * The flush of a request.
     *
     * @param begun whether the transaction has begun
     * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
     * @param tail what the caller has behind the locks
     */
    public Flush flush(ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable Tail tail) {
        boolean behind = tail != null;
        boolean ofValues = onCitus && CitusForms.isOfValues(request);
        Flush locks;
        if (isSingle(request)) {
            locks = single(request, begun, anyIsolation, behind);
        } else if (ofValues) {
            locks = make(request, begun, anyIsolation, behind);
        } else {
            locks = kept.get(
                    key(request, begun, anyIsolation, behind), of -> make(request, begun, anyIsolation, behind));
        }
        return tail == null ? locks : locks.with(tail, ofValues ? null : texts);
    }

    private Flush make(ResolvedRequest request, boolean begun, boolean anyIsolation, boolean behind) {
        FlushForms forms = onCitus
                ? new CitusForms(request, begun, anyIsolation, behind)
                : new FlushForms(request, begun, anyIsolation, behind, WaitSql.BOUND);
        return forms.flush();
    }

    /** All that the text of a flush depends on, and nothing of the request's values. */
    static List<Object> key(ResolvedRequest request, boolean begun, boolean anyIsolation, boolean behind) {
        List<Object> key = new ArrayList<>(KEY_SIZE);
        key.add(form(request, begun, anyIsolation, behind));
        key.add(request.advisory().tables());
        for (RowGroup group : request.rows()) {
            key.add(group.table());
            key.add(group.mode());
            key.add(group.keys().size() == 1);
        }
        key.addAll(request.typed());
        for (Insert insert : request.inserts()) {
            key.add(insert.text());
        }
        return key;
    }

    private static boolean isSingle(ResolvedRequest request) {
        // Two spellings of a row are one key and two rows.
        return request.keys().size() == 1
                && request.typed().isEmpty()
                && request.inserts().isEmpty()
                && (request.rows().isEmpty()
                        || (request.isOneRow() && request.rows().get(0).mode() == request.mode()));
    }

    /** A race builds the same flush twice, and a flush is immutable. */
    private Flush single(ResolvedRequest request, boolean begun, boolean anyIsolation, boolean behind) {
        @Nullable Flush[] ofTable = keptSingle.get(place(request), place -> new Flush[SINGLE_FORMS]);
        int form = form(request, begun, anyIsolation, behind);
        Flush flush = ofTable[form];
        if (flush == null) {
            flush = make(request, begun, anyIsolation, behind);
            ofTable[form] = flush;
        }
        return flush;
    }

    /** What is one of a few, as an index: to look there allocates nothing. */
    @SuppressWarnings("EnumOrdinal")
    private static int form(ResolvedRequest request, boolean begun, boolean anyIsolation, boolean behind) {
        int shape = request.advisory().shape().ordinal();
        int locks = (shape * MODES + request.mode().ordinal()) * WAITS
                + request.waitKind().ordinal();
        return locks * 16
                + (behind ? 8 : 0)
                + (begun ? 4 : 0)
                + (anyIsolation ? 2 : 0)
                + (request.front() == null ? 0 : 1);
    }

    private static Object place(ResolvedRequest request) {
        if (!request.rows().isEmpty()) {
            return request.rows().get(0).table();
        }
        String table = request.first().tableOrNull();
        return table == null ? "" : table;
    }
}
