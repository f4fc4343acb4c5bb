package org.rowlock.internal.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.FoundRow;

/**
 * What a script returned.
 *
 * @param guard what the advisory lock's guard saw, or null where there was none
 * @param found per group of row locks, the rows that exist
 * @param meant per group of keys without a row lock that were looked at, the rows that they mean
 * @param taken whether a row that was only tried is held by another transaction
 */
public record ScriptResult(
        @Nullable Guard guard, List<List<FoundRow>> found, List<List<FoundRow>> meant, boolean taken) {

    /** What is held before the row locks and the query have run. */
    public static ScriptResult of(Guard guard) {
        return new ScriptResult(guard, List.of(), List.of(), false);
    }
}
