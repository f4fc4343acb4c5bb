package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.request.Watch;
import org.rowlock.internal.text.Insert;

/** The flushes of requests, kept by all that their text depends on, since an application has few different ones. */
public final class Flushes {
    private static final int MODES = RowLockMode.values().length;
    private static final int WAITS = WaitKind.values().length;
    private static final int WATCHES = Watch.values().length + 1;
    private static final Flushes WITHOUT_LOCKS = new Flushes(false);

    private final boolean onCitus;

    private final Kept<Key, Flush> kept = new Kept<>();

    /**
     * All that the text of a flush depends on, and nothing of the request's values.
     *
     * @param form what is one of a few
     * @param place of one key alone: its table if its row is locked, or the name of that, or an empty text; of others
     *     a list of all that they need
     * @param tail the form of what is run behind the locks, or null
     */
    record Key(int form, Object place, @Nullable Object tail) {
        /** By hand, as that of a record is dear to an instance that starts. */
        @Override
        public int hashCode() {
            return (form * 31 + place.hashCode()) * 31 + Objects.hashCode(tail);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that
                    && form == that.form
                    && place.equals(that.place)
                    && Objects.equals(tail, that.tail);
        }
    }

    /** @param onCitus whether the database has Citus, see {@link CitusForms} */
    public Flushes(boolean onCitus) {
        this.onCitus = onCitus;
    }

    public boolean areForCitus() {
        return onCitus;
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
        if ((tail != null && !tail.isKept()) || (onCitus && CitusForms.isOfValues(request))) {
            return make(request, begun, anyIsolation, tail);
        }
        Key key = key(request, begun, anyIsolation, tail);
        Flush flush = kept.get(key);
        return flush == null ? kept.keep(key, make(request, begun, anyIsolation, tail)) : flush;
    }

    private Flush make(ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable Tail tail) {
        FlushForms forms = onCitus
                ? new CitusForms(request, begun, anyIsolation, tail)
                : new FlushForms(request, begun, anyIsolation, tail, WaitSql.BOUND);
        return forms.flush();
    }

    static Key key(ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable Tail tail) {
        return new Key(
                form(request, begun, anyIsolation, tail == null ? null : tail.watch()),
                isSingle(request) ? place(request) : places(request),
                tail == null ? null : tail.form());
    }

    private static boolean isSingle(ResolvedRequest request) {
        // Two spellings of a row are one key and two rows.
        return request.keys().size() == 1
                && request.typed().isEmpty()
                && request.inserts().isEmpty()
                && (request.rows().isEmpty()
                        || (request.isOneRow() && request.rows().get(0).mode() == request.mode()));
    }

    @SuppressWarnings("EnumOrdinal")
    private static int form(ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable Watch watch) {
        int shape = request.advisory().shape().ordinal();
        int locks = (shape * MODES + request.mode().ordinal()) * WAITS
                + request.waitKind().ordinal();
        int watched = locks * WATCHES + (watch == null ? 0 : watch.ordinal() + 1);
        return watched * 8 + (begun ? 4 : 0) + (anyIsolation ? 2 : 0) + (request.front() == null ? 0 : 1);
    }

    private static Object place(ResolvedRequest request) {
        if (!request.rows().isEmpty()) {
            return request.rows().get(0).table();
        }
        String table = request.first().tableOrNull();
        return table == null ? "" : table;
    }

    private static List<Object> places(ResolvedRequest request) {
        List<Object> places = new ArrayList<>();
        places.add(request.advisory().tables());
        for (RowGroup group : request.rows()) {
            places.add(group.table());
            places.add(group.mode());
            places.add(group.keys().size() == 1);
        }
        places.addAll(request.typed());
        for (Insert insert : request.inserts()) {
            places.add(insert.text());
        }
        return places;
    }
}
