package org.rowlock.internal.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.TableName;

/**
 * A table whose rows are locked, and its id columns.
 *
 * @param isLookable whether every visible row can be locked; false for a table with row security
 */
public record RowTable(String name, List<Column> columns, Identity identity, boolean isLookable) {

    /** The reason why the columns identify a row, and the way in which a flush checks the columns. */
    public enum Identity {
        /** The columns are configured. A lock statement checks only that the columns still have the same types. */
        GIVEN,
        /**
         * The id is one column, the primary key. The lock statement contains a query that is valid only while the
         * column is the primary key. The server analyses the query, but never runs the query.
         */
        ONE_COLUMN,
        /** The primary key has several columns or is deferrable. A later statement checks the key in the catalog. */
        CATALOG
    }

    /** The hash is computed for every call, so it includes only the name. */
    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof RowTable that
                        && name.equals(that.name)
                        && identity == that.identity
                        && isLookable == that.isLookable
                        && columns.equals(that.columns));
    }

    public String each(String between, BiFunction<Column, Integer, String> text) {
        StringJoiner texts = new StringJoiner(between);
        for (int i = 0; i < columns.size(); i++) {
            texts.add(text.apply(columns.get(i), i));
        }
        return texts.toString();
    }

    public List<String> readId(ResultSet row, int at) throws SQLException {
        int parts = columns.size();
        if (parts == 1) {
            return List.of(row.getString(at));
        }
        List<String> id = new ArrayList<>(parts);
        for (int i = 0; i < parts; i++) {
            id.add(row.getString(at + i));
        }
        return id;
    }

    /**
     * Returns a select list with the texts of the id columns. The aliases begin with rowlock_id_, so that they do not
     * clash with names in a caller's ORDER BY.
     */
    public String printedId(String alias) {
        return each(
                ", ",
                (column, i) -> column.kind().textOf(alias + '.' + TableName.quoteIdentifier(column.name()))
                        + " as rowlock_id_" + i);
    }

    public boolean isAny(Predicate<IdType> types) {
        for (Column column : columns) {
            if (types.test(column.kind())) {
                return true;
            }
        }
        return false;
    }

    /** Returns a table whose id columns are unknown. */
    public static RowTable named(String name) {
        return new RowTable(name, List.of(), Identity.GIVEN, false);
    }

    /**
     * A column of the id. The names of types include the schema, because the search_path may hide the types of
     * PostgreSQL.
     *
     * @param type the type of the column, or the base type of a domain; without a length, because a cast must not
     *     truncate the value
     * @param arrayType the array type of the column's type; for a domain, the array type of the domain
     */
    public record Column(String name, String type, String arrayType, IdType kind) {}
}
