package org.rowlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.value.KeyWithoutRow;
import org.rowlock.internal.value.RowKey;

/**
 * A key that can be locked: a row, a name, a raw number or a raw pair of numbers. Immutable and thread-safe.
 *
 * <p>Rowlock derives the one or two numbers of a key's advisory lock by <a
 * href="https://github.com/rowlock/rowlock/blob/main/docs/keys.md">published rules</a>, called key version 1. Therefore
 * Java, psql and any other language can lock the same key. If two different keys have the same numbers, the keys share
 * one lock. Their transactions then exclude each other without need, which is safe but slower.
 *
 * <p>A malformed table name, or a null or blank id or name, causes an {@link IllegalArgumentException}. An id or name
 * must contain neither a NUL character nor half of a surrogate pair.
 */
public sealed interface LockKey permits LockKey.Row, KeyWithoutRow {
    /**
     * {@return the key of the row with the given id} The Java type of the id does not matter: {@code 42}, {@code 42L}
     * and {@code "42"} are the same key, and so are a {@link java.util.UUID} and its text.
     *
     * @param table the table, as in SQL: {@code account}, {@code public.account}, {@code "Account"}
     * @param id an integral number, {@link java.util.UUID}, non-blank {@link String} or {@link Character}, enum (by
     *     name), or {@code java.time} date or time; a {@link List} of these for a composite id
     * @throws IllegalArgumentException if the id is null, blank or of another type, such as a floating-point number or
     *     a {@link java.sql.Timestamp}
     */
    static Row row(String table, Object id) {
        return new RowKey(table, id instanceof List<?> parts ? texts(table, parts) : List.of(IdText.of(table, id)));
    }

    /**
     * {@return the key of the row with a composite id}
     *
     * @param table the table, as in SQL
     * @param first the value of the first column of the primary key
     * @param second the value of the second column
     * @param more the values of the other columns, in the order of the primary key
     */
    static Row row(String table, Object first, Object second, Object... more) {
        return row(table, list(table, first, second, more));
    }

    /**
     * {@return the keys of two or more rows of one table, in the order given}
     *
     * @param table the table, as in SQL
     * @param first the id of the first row, of a type that {@link #row(String, Object)} accepts
     * @param second the id of the second row
     * @param more the ids of further rows
     */
    static List<LockKey> rows(String table, Object first, Object second, Object... more) {
        return rows(table, list(table, first, second, more));
    }

    /**
     * {@return the keys of rows of one table, in the order given}
     *
     * @param table the table, as in SQL
     * @param ids the ids of the rows, each of a type that {@link #row(String, Object)} accepts
     */
    static List<LockKey> rows(String table, Collection<?> ids) {
        List<LockKey> keys = new ArrayList<>();
        for (Object id : Arguments.notNull(ids, "The ids for table " + table + " are null; give a collection")) {
            keys.add(row(table, id));
        }
        return keys;
    }

    /**
     * {@return the key of a name that you choose, for example of a nightly job, a reservation or a tenant} In SQL, the
     * same lock has the number {@code ('x' || substr(md5(name), 1, 16))::bit(64)::bigint}.
     *
     * @param name the name, which is case-sensitive
     */
    static LockKey name(String name) {
        return new KeyWithoutRow.Name(name);
    }

    /**
     * {@return the key of the advisory lock with one 64-bit number} Use this key to exclude other code that already
     * locks this number.
     *
     * @param number the number
     */
    static LockKey number(long number) {
        return new KeyWithoutRow.RawNumber(number);
    }

    /**
     * {@return the key of the advisory lock with two 32-bit numbers} Use this key to exclude other code that already
     * locks this pair.
     *
     * @param first the number that pg_locks shows as classid
     * @param second the number that pg_locks shows as objid
     */
    static LockKey pair(int first, int second) {
        return new KeyWithoutRow.RawPair(first, second);
    }

    private static List<Object> list(String table, Object first, Object second, Object... more) {
        List<Object> values = new ArrayList<>();
        values.add(first);
        values.add(second);
        if (more == null) {
            throw new IllegalArgumentException("The third and later values for table " + table
                    + " are null; give these values, or leave them out");
        }
        Collections.addAll(values, more);
        return values;
    }

    private static List<String> texts(String table, List<?> parts) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException(
                    "The id for table " + table + " has no parts; give a value per column of its primary key");
        }
        List<String> texts = new ArrayList<>(parts.size());
        for (Object part : parts) {
            texts.add(IdText.of(table, part));
        }
        return List.copyOf(texts);
    }

    /** The key of a row. Two keys of rows are equal if their normalized tables and canonical ids are equal. */
    sealed interface Row extends LockKey permits RowKey {
        /**
         * {@return the normalized name of the table} Letters without quotes are in lower case. A part of the name has
         * quotes only if it begins with a digit or {@code $}, or has other characters than {@code a-z0-9_$}.
         */
        String table();

        /** {@return the canonical text of the id, with one part per id column} */
        List<String> id();
    }
}
