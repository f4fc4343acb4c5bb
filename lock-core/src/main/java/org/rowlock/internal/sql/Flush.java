package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.ResolvedRequest.Shape;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.value.Insert;

/**
 * The statements, called parts, that are sent in one round trip. The first parts limit the wait, acquire the locks, and
 * insert or look up rows. The last parts are the caller's query, or the caller's writes and the COMMIT. In READ
 * COMMITTED each statement has its own snapshot. After an error, the server does not run the following statements.
 * Immutable. A flush without a {@link Tail} contains no values, so it can be cached.
 *
 * @param isBounded whether the flush fails if a lock is not available in time. The transaction must then stay usable,
 *     so the flush starts with a savepoint if the transaction has begun
 * @param isCheckSaved whether the advisory lock has a savepoint of its own, because the check ({@link LockCheckSql})
 *     may refuse the lock
 * @param isSaved whether the flush begins with a savepoint, which is released after the locks, or after the caller's
 *     statements if there are any
 */
public record Flush(String sql, List<Part> parts, boolean isBounded, boolean isCheckSaved, boolean isSaved) {
    private static final Flush WITHOUT_LOCKS = new Flush("", List.of(), false, false, false);

    private static final BoundedCache<List<String>, String> ALONE = new BoundedCache<>();

    static Flush of(List<Part> parts, boolean bounded, boolean checkSaved, boolean saved) {
        return new Flush(textOf(parts), List.copyOf(parts), bounded, checkSaved, saved);
    }

    public static Flush alone(Tail tail) {
        return WITHOUT_LOCKS.with(tail, ALONE);
    }

    /**
     * Returns a flush with the caller's statements after the locks. If these statements end with a COMMIT, the flush
     * has no RELEASE SAVEPOINT, because the COMMIT also ends the savepoint.
     *
     * @param kept the cache of joined texts, by the texts of the parts; null if the joined text is not cached
     */
    Flush with(Tail tail, @Nullable BoundedCache<List<String>, String> kept) {
        List<Part> all = new ArrayList<>(parts.size() + tail.parts().size() + 3);
        List<String> texts = new ArrayList<>(tail.parts().size() + 3);
        add(tail.inFront(), all, texts);
        if (!parts.isEmpty()) {
            all.addAll(parts);
            texts.add(sql);
        }
        add(tail.parts(), all, texts);
        if (isSaved && !tail.isCommitting()) {
            add(List.of(WaitSql.RELEASE), all, texts);
        }
        return new Flush(
                kept != null && tail.parts().size() <= Tail.LONGEST_KEPT
                        ? kept.get(texts, Flush::joined)
                        : joined(texts),
                all,
                isBounded,
                isCheckSaved,
                isSaved);
    }

    private static void add(List<Part> more, List<Part> all, List<String> texts) {
        for (Part part : more) {
            all.add(part);
            texts.add(part.sql());
        }
    }

    public static String textOf(List<Part> parts) {
        List<String> texts = new ArrayList<>(parts.size());
        for (Part part : parts) {
            texts.add(part.sql());
        }
        return joined(texts);
    }

    /**
     * Joins the texts with semicolons. Each semicolon follows a line break, because a statement of the caller may end
     * with a -- comment.
     */
    private static String joined(List<String> texts) {
        return String.join("\n;", texts);
    }

    /** The cached flushes of requests. The SQL of a flush is determined by a cache key and a {@link #form}. */
    public static final class Cache {
        private static final int MODES = RowLockMode.values().length;
        private static final int WAITS = WaitKind.values().length;
        private static final int FORMS = Shape.values().length * MODES * WAITS * 32;

        private final boolean onCitus;

        /** The flushes of each cache key, by {@link #form}. In a race, a flush is built twice, which is harmless. */
        private final BoundedCache<Object, @Nullable Flush[]> kept = new BoundedCache<>();

        private final BoundedCache<List<String>, String> texts = new BoundedCache<>();

        public Cache(boolean onCitus) {
            this.onCitus = onCitus;
        }

        public Flush flush(ResolvedRequest request, boolean begun, boolean anyIsolation, @Nullable Tail tail) {
            Flush locking = tail == null || tail.open() == null || onCitus
                    ? null
                    : LockingQuery.flush(request, tail, tail.open());
            if (locking != null) {
                return locking;
            }
            boolean behind = tail != null;
            boolean required = tail != null && tail.isCommitting() && request.isRowRequired();
            boolean ofValues = onCitus && CitusForms.isOfValues(request);
            Flush locks = ofValues
                    ? make(request, begun, anyIsolation, behind, required)
                    : keptOf(request, begun, anyIsolation, behind, required);
            return tail == null ? locks : locks.with(tail, ofValues ? null : texts);
        }

        private Flush keptOf(
                ResolvedRequest request, boolean begun, boolean anyIsolation, boolean behind, boolean required) {
            @Nullable Flush[] ofLocked = kept.get(locked(request), locked -> new Flush[FORMS]);
            int form = form(request, begun, anyIsolation, behind, required);
            Flush flush = ofLocked[form];
            if (flush == null) {
                flush = make(request, begun, anyIsolation, behind, required);
                ofLocked[form] = flush;
            }
            return flush;
        }

        private Flush make(
                ResolvedRequest request, boolean begun, boolean anyIsolation, boolean behind, boolean required) {
            FlushForms forms = onCitus
                    ? new CitusForms(request, begun, anyIsolation, behind)
                    : new FlushForms(request, begun, anyIsolation, behind, required);
            return forms.flush();
        }

        /**
         * Returns the cache key for the locked tables. Requests for a single key are frequent, so their cache key is an
         * existing object.
         */
        static Object locked(ResolvedRequest request) {
            List<RowGroup> rows = request.rows();
            // A single key may have two rows, if the request contains two spellings of its id.
            if (request.keys().size() == 1
                    && request.inserts().isEmpty()
                    && (rows.isEmpty() || (request.isOneRow() && rows.get(0).mode() == request.mode()))) {
                if (!rows.isEmpty()) {
                    return rows.get(0).table();
                }
                LockKey key = request.keys().get(0);
                return !request.typed().isEmpty() ? request.typed() : key instanceof LockKey.Row row ? row.table() : "";
            }
            List<Object> all = new ArrayList<>();
            all.add(ResolvedRequest.tablesOf(request.advisory()));
            for (RowGroup group : rows) {
                all.add(group.table());
                all.add(group.mode());
                all.add(group.keys().size() == 1);
            }
            all.addAll(request.typed());
            for (Insert insert : request.inserts()) {
                all.add(insert.text());
            }
            return all;
        }

        /** Returns the form of the request as an array index, because an array look-up allocates nothing. */
        @SuppressWarnings("EnumOrdinal")
        static int form(
                ResolvedRequest request, boolean begun, boolean anyIsolation, boolean behind, boolean required) {
            int shape = request.shape().ordinal();
            int locks = (shape * MODES + request.mode().ordinal()) * WAITS
                    + request.waitKind().ordinal();
            return locks * 32
                    + (required ? 16 : 0)
                    + (behind ? 8 : 0)
                    + (begun ? 4 : 0)
                    + (anyIsolation ? 2 : 0)
                    + (request.front() == null ? 0 : 1);
        }
    }
}
