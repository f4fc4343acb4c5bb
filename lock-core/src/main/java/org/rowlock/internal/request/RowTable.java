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
 * @param name the name as the key has it
 * @param columns the columns of the id, in order
 * @param identity why these columns distinguish rows
 * @param isLookable whether a row that can be seen can be locked, as with row security it need not be
 */
public record RowTable(String name, List<Column> columns, Identity identity, boolean isLookable) {

    /** Why columns distinguish rows, and so how a lock statement checks that they still do. */
    public enum Identity {
        /** They are given by configuration; nothing checks them. */
        GIVEN,
        /** One column, the primary key: parse analysis checks it, for nothing. */
        ONE_COLUMN,
        /** Several columns, or a deferrable primary key, which parse analysis does not show: the catalog does. */
        CATALOG
    }

    /** By the name alone: this is in the key of each flush, and a table is looked up once. */
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

    /** A text for each column, given its index too. */
    public String each(String between, BiFunction<Column, Integer, String> text) {
        StringJoiner texts = new StringJoiner(between);
        for (int i = 0; i < columns.size(); i++) {
            texts.add(text.apply(columns.get(i), i));
        }
        return texts.toString();
    }

    /** The texts of the id of a row, from columns that are printed from index {@code at} on. */
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

    /** The texts of the columns, under names that no ORDER BY means. */
    public String printedId(String alias) {
        return each(
                ", ",
                (column, i) -> column.kind().textOf(alias + '.' + TableName.quoteIdentifier(column.name()))
                        + " as rowlock_id_" + i);
    }

    /** Whether the type of a column is one of some. */
    public boolean isAny(Predicate<IdType> types) {
        for (Column column : columns) {
            if (types.test(column.kind())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a row of an id has another key. A type without keys is locked by the row lock alone. */
    public boolean isOther(LockKey.Row key, List<String> id) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).kind() != IdType.KEYLESS && !key.id().get(i).equals(IdText.canonical(id.get(i)))) {
                return true;
            }
        }
        return false;
    }

    /** A table that has not been looked up. */
    public static RowTable named(String name) {
        return new RowTable(name, List.of(), Identity.GIVEN, false);
    }

    /**
     * A column of the id. Types are written with their schema, as a search_path may hide PostgreSQL's own.
     *
     * @param name the column, as in the catalog
     * @param type its type, without a length, since a cast must not cut the value; of a domain the type behind it
     * @param arrayType arrays of its type, of a domain of the domain
     * @param kind what the type means for the id
     */
    public record Column(String name, String type, String arrayType, IdType kind) {}
}
