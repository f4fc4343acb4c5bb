package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one round trip: they prepare the wait, lock and look up; the last ones are the caller's query, or writes
 * and the COMMIT. They are sent as one composite, so each has a snapshot of its own, and an error in one prevents the
 * following ones from running. Immutable. A flush that only locks contains no values, so it can be kept.
 *
 * @param isBounded whether it fails if a lock is not available in time, which must leave the transaction usable; then a
 *     transaction that has begun has a savepoint in front of everything
 * @param isCheckSaved whether a savepoint is in front of the advisory lock alone, for a refusal by the check
 * @param isSaved whether the savepoint in front of everything exists
 */
public record Flush(String sql, List<Part> parts, boolean isBounded, boolean isCheckSaved, boolean isSaved) {
    private static final Flush WITHOUT_LOCKS = new Flush("", List.of(), false, false, false);

    private static final Kept<List<String>, String> ALONE = new Kept<>();

    static Flush of(List<Part> parts, boolean bounded, boolean checkSaved, boolean saved) {
        return new Flush(textOf(parts), List.copyOf(parts), bounded, checkSaved, saved);
    }

    /** Returns a flush of writes alone, possibly with the COMMIT. */
    public static Flush alone(Tail tail) {
        return WITHOUT_LOCKS.with(tail, ALONE);
    }

    /**
     * Returns the flush with the caller's parts behind the locks. A COMMIT ends the savepoint too.
     *
     * @param kept the texts by their pieces; null if these locks will not be sent again
     */
    Flush with(Tail tail, @Nullable Kept<List<String>, String> kept) {
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

    /** The line break ends a comment that a caller's statement may end with. */
    private static String joined(List<String> texts) {
        return String.join("\n;", texts);
    }
}
