package org.rowlock.internal.text;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The place of a table's name: where a user's search_path leads. Places are only as distinct as the session shows at no
 * cost. The server reports the search_path from version 18 on.
 *
 * @param given the configured id columns, or none for the primary key
 */
public record TablePlace(
        String database, String user, @Nullable String searchPath, String table, List<String> given) {
    /** Returns the same place with the schemas that the server searches. No reported search_path begins like that. */
    public TablePlace in(String schemas) {
        return new TablePlace(database, user, "in " + schemas, table, given);
    }

    /** The hash is written by hand, because a record's makes an application start slowly. */
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
