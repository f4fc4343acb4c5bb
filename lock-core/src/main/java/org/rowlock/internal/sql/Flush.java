package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one round trip. The first parts prepare the wait, lock and look up. The last parts are the caller's
 * query, or writes and the COMMIT. Each statement takes its own snapshot, and after an error the following statements
 * do not run. Immutable. A flush that only locks contains no values, so it can be cached.
 *
 * @param isBounded whether the flush fails if a lock is not available in time. The transaction must then stay usable,
 *     so a flush in a transaction that has begun starts with a savepoint
 * @param isCheckSaved whether there is a savepoint only for the advisory lock, in case the check refuses it
 * @param isSaved whether the flush begins with a savepoint
 */
public record Flush(String sql, List<Part> parts, boolean isBounded, boolean isCheckSaved, boolean isSaved) {
    private static final Flush WITHOUT_LOCKS = new Flush("", List.of(), false, false, false);

    private static final BoundedCache<List<String>, String> ALONE = new BoundedCache<>();

    static Flush of(List<Part> parts, boolean bounded, boolean checkSaved, boolean saved) {
        return new Flush(textOf(parts), List.copyOf(parts), bounded, checkSaved, saved);
    }

    /** Returns a flush without locks: writes, possibly with the COMMIT. */
    public static Flush alone(Tail tail) {
        return WITHOUT_LOCKS.with(tail, ALONE);
    }

    /**
     * Returns the flush with the caller's parts after the locks. A COMMIT ends the savepoint too.
     *
     * @param kept the cached texts by their pieces; null if the text is not worth caching
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
     * Joins the texts with line breaks, because a caller's statement may end with a -- comment, which the line break
     * ends.
     */
    private static String joined(List<String> texts) {
        return String.join("\n;", texts);
    }
}
