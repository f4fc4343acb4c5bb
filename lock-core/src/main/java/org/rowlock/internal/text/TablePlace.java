package org.rowlock.internal.text;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A name of a table, as a user's search_path leads to it. Only keeps apart what differs visibly and for free: the
 * server reports the search_path from version 18 on.
 *
 * @param given the id columns by configuration, or none for the primary key
 */
public record TablePlace(
        String database, String user, @Nullable String searchPath, String table, List<String> given) {
    /** The same where the server has said in which schemas it looks, which no reported search_path begins like. */
    public TablePlace in(String schemas) {
        return new TablePlace(database, user, "in " + schemas, table, given);
    }

    /** By hand, as that of a record is dear to an instance that starts. */
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
