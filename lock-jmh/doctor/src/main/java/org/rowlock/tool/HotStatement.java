package org.rowlock.tool;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.file.Files;
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
    /** The name of this object in the JSON of the doctor. */
    public static final String NAME = "hotStatement";

    /**
     * Reads the statement from a file that {@code doctor --json} wrote.
     *
     * @throws UserError if the file cannot be read, or contains no statement
     */
    public static HotStatement read(Path file) {
        String advice = " Give one that doctor --json wrote, on a server whose sessions wait for rows. A role with"
                + " pg_read_all_stats sees their statements.";
        try {
            JsonObject json = new Gson().fromJson(Files.readString(file), JsonObject.class);
            HotStatement found = json == null ? null : new Gson().fromJson(json.get(NAME), HotStatement.class);
            if (found != null && found.statement != null) {
                return found;
            }
        } catch (IOException | JsonParseException e) {
            throw new UserError("The file " + file + " cannot be read: " + e + "." + advice, e);
        }
        throw new UserError("The file " + file + " has no statement that waits for a row." + advice);
    }
}
