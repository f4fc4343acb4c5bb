package org.rowlock.internal.text;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cache key of a table: its name, and the facts that determine which table the name means in a session, such as the
 * user and the search_path. The key contains only facts that the driver knows without a round trip. The server reports
 * the search_path from version 18 on.
 *
 * @param given the configured id columns, or none for the primary key
 */
public record TablePlace(
        String database, String user, @Nullable String searchPath, String table, List<String> given) {
    /**
     * Returns the same place with the schemas that the server searches. The text differs from every reported
     * search_path.
     */
    public TablePlace in(String schemas) {
        return new TablePlace(database, user, "in " + schemas, table, given);
    }

    /** The method is overridden, because the first generated hashCode() of a record takes time at startup. */
    @Override
    public int hashCode() {
        return table.hashCode();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TablePlace that
                && table.equals(that.table)
                && database.equals(that.database)
                && user.equals(that.user)
                && Objects.equals(searchPath, that.searchPath)
                && given.equals(that.given);
    }
}
