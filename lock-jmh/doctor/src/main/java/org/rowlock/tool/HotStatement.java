package org.rowlock.tool;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The statement that waits most for rows of the table with the most waits, and how it is used. The benchmarks can
 * measure it.
 *
 * @param statement the statement, normalized
 * @param table the table
 * @param mode the lock mode; null if the text does not show it
 * @param hottestPercent how many of a hundred statements lock the hottest row; null if their number is not known
 * @param holdMillis how long a transaction holds that row; 0 if it was not seen often enough
 * @param clients the sessions that use the table at a time, by those that wait
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
     * Reads it from what {@code doctor --json} printed.
     *
     * @throws UserError if the file cannot be read, or has no such statement
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
