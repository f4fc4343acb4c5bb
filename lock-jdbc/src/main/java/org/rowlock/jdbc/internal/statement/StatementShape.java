package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/**
 * The shape of a statement: what its text says about the rows that the statement locks.
 *
 * @param mayLock whether the statement may acquire locks for which other transactions wait; false for a plain read
 * @param table the table in which the statement locks rows or inserts one row, as written in SQL, with quotes only
 *     where they are necessary; empty if the form of the statement is not recognised
 * @param mode the strongest mode of a row lock that the statement may acquire
 * @param equalities all equalities by which the statement selects the rows that it locks, in the order of the text,
 *     including the equalities of key columns; empty for an INSERT, or if the form is not recognised
 * @param moreConditions whether there are conditions other than equalities
 * @param row a query that finds the same rows without a lock; its parameters are the parameters of all conditions
 * @param returnsRows whether the statement returns rows rather than an update count; false if this is not known
 * @param parameters the number of parameters in the text; -1 if the form of the statement is not recognised
 */
public record StatementShape(
        boolean mayLock,
        String table,
        RowLockMode mode,
        List<Equality> equalities,
        boolean moreConditions,
        String row,
        boolean returnsRows,
        int parameters) {
    /** A plain read, a setting, or the beginning or end of a transaction. */
    public static final StatementShape PLAIN = unknown(false, "", -1);

    /** Any other statement that is not recognised. */
    public static final StatementShape OTHER = unknown(true, "", -1);

    public StatementShape {
        equalities = List.copyOf(equalities);
    }

    static StatementShape unknown(boolean mayLock, String table, int parameters) {
        return new StatementShape(mayLock, table, RowLockMode.FOR_UPDATE, List.of(), true, "", false, parameters);
    }

    /**
     * Whether the statement selects rows of one table by equality of columns, locks these rows, and may have to wait.
     */
    public boolean isRecognised() {
        return !equalities.isEmpty();
    }

    /**
     * Returns the values of a primary key, in the order of its columns; null if the statement lacks a value for one of
     * these columns.
     */
    public @Nullable List<Value> key(List<String> primaryKey) {
        List<Value> values = new ArrayList<>(primaryKey.size());
        for (String column : primaryKey) {
            for (Equality equality : equalities) {
                if (equality.column().equals(column)) {
                    values.add(equality.value());
                    break;
                }
            }
        }
        return primaryKey.isEmpty() || values.size() < primaryKey.size() ? null : values;
    }

    /** Returns the values of all equalities. */
    public List<Value> values() {
        return equalities.stream().map(Equality::value).toList();
    }

    /** Whether the key is the only condition, so that the statement finds the row if it exists. */
    public boolean hasOnly(List<Value> key) {
        return !moreConditions && equalities.size() == key.size();
    }

    /** A column, with its name as in the catalog, that must be equal to a value. */
    public record Equality(String column, Value value) {}

    public sealed interface Value {}

    /** A value that is bound to the parameter with an index, from 1. */
    public record Parameter(int index) implements Value {}

    /** A number, or a string without its quotes. */
    public record Literal(String text) implements Value {}
}
