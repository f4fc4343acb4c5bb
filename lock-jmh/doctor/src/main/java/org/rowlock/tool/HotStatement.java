package org.rowlock.tool;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The statement with the most row lock waits, and how the application uses the statement. The benchmarks can measure
 * this statement.
 *
 * @param mode the lock mode; null if the text does not show it
 * @param hottestPercent the percentage of calls that lock the hottest row; null if it cannot be estimated
 * @param holdMillis how long a transaction holds the hottest row; 0 if it cannot be estimated
 * @param clients the estimated number of sessions that use the table at a time
 */
public record HotStatement(
        String statement,
        String table,
        @Nullable String mode,
        @Nullable Double hottestPercent,
        double holdMillis,
        int clients) {
    private static final String ADVICE =
            " Give one that doctor --json wrote, on a server whose sessions wait for rows. A"
                    + " role with pg_read_all_stats sees their statements.";

    public record Saved(@Nullable HotStatement hotStatement) {}

    /** Reads the statement from a file that {@code doctor --json} wrote. */
    public static HotStatement read(Path file) {
        Saved saved = Texts.json(file, Saved.class, ADVICE);
        HotStatement found = saved == null ? null : saved.hotStatement();
        if (found == null || found.statement == null) {
            throw new UserError("The file " + file + " has no statement that waits for a row." + ADVICE);
        }
        return found;
    }
}
