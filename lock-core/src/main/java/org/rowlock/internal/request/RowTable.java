package org.rowlock.internal.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.TableName;

/**
 * A table whose rows are locked, and the columns of its id.
 *
 * @param name the name as in the key
 * @param columns the columns of the id, in order
 * @param identity why these columns identify a row
 * @param isLookable whether every visible row can be locked; false for a table with row security
 */
public record RowTable(String name, List<Column> columns, Identity identity, boolean isLookable) {

    /**
     * The reason why the columns identify a row. It determines how a lock statement checks that the columns still
     * identify a row.
     */
    public enum Identity {
        /** The columns are configured by the user, and are not checked. */
        GIVEN,
        /** The only column is the primary key. The server's parse analysis checks this at no cost. */
        ONE_COLUMN,
        /**
         * The primary key has several columns or is deferrable. Parse analysis can check neither case, so the lock
         * statement queries the catalog.
         */
        CATALOG
    }

    /** Hashes only the name, because every call computes the hash, and different tables rarely have the same name. */
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

    /** Calls a function for each column and its index, and returns the joined texts. */
    public String each(String between, BiFunction<Column, Integer, String> text) {
        StringJoiner texts = new StringJoiner(between);
        for (int i = 0; i < columns.size(); i++) {
            texts.add(text.apply(columns.get(i), i));
        }
        return texts.toString();
    }

    /** Reads the texts of a row's id from the columns of a result, from index {@code at} on. */
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
     * Returns a select list with the texts of the columns. The aliases in the list cannot clash with names in a
     * caller's ORDER BY.
     */
    public String printedId(String alias) {
        return each(
                ", ",
                (column, i) -> column.kind().textOf(alias + '.' + TableName.quoteIdentifier(column.name()))
                        + " as rowlock_id_" + i);
    }

    /** Whether the type of any column matches. */
    public boolean isAny(Predicate<IdType> types) {
        for (Column column : columns) {
            if (types.test(column.kind())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a row with this id has a key other than the given key. Columns whose type has no keys are ignored,
     * because such rows are locked only by row locks.
     */
    public boolean isOther(LockKey.Row key, List<String> id) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).kind() != IdType.KEYLESS && !key.id().get(i).equals(IdText.canonical(id.get(i)))) {
                return true;
            }
        }
        return false;
    }

    /** Returns a table that has not been looked up. */
    public static RowTable named(String name) {
        return new RowTable(name, List.of(), Identity.GIVEN, false);
    }

    /**
     * A column of the id. Types are written with their schema, because a search_path may hide PostgreSQL's own types.
     *
     * @param name the name of the column, as in the catalog
     * @param type the type of the column, or the base type of its domain; without a length, because a cast must not
     *     truncate the value
     * @param arrayType the array type of the column's type; for a domain, the array type of the domain
     * @param kind the constant that determines how ids of this type are written
     */
    public record Column(String name, String type, String arrayType, IdType kind) {}
}
