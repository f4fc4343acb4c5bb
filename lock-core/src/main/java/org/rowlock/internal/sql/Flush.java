package org.rowlock.internal.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one round trip: what sets up the wait, locks, looks, and last the caller's query, or writes and the
 * COMMIT. They are sent as one composite, so each has a snapshot of its own and an error in one keeps those behind it
 * from running. Immutable; one that only locks has no values, so that it can be kept.
 *
 * @param isBounded whether it fails where a lock cannot be had in time, which must leave the transaction usable: one
 *     that has begun has a savepoint in front of it all
 * @param isCheckSaved whether there is one in front of the advisory lock alone, for the check that refuses
 * @param isSaved whether that in front of it all is there
 */
public record Flush(String sql, List<Part> parts, boolean isBounded, boolean isCheckSaved, boolean isSaved) {
    private static final Flush WITHOUT_LOCKS = new Flush("", List.of(), false, false, false);

    private static final Kept<List<String>, String> ALONE = new Kept<>();

    static Flush of(List<Part> parts, boolean bounded, boolean checkSaved, boolean saved) {
        return new Flush(textOf(parts), List.copyOf(parts), bounded, checkSaved, saved);
    }

    /** Writes alone, and maybe the COMMIT. */
    public static Flush alone(Tail tail) {
        return WITHOUT_LOCKS.with(tail, ALONE);
    }

    /**
     * The same with what a caller has behind the locks. A COMMIT ends the savepoint too.
     *
     * @param kept the texts by their pieces; null if these locks are not to be sent again
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
