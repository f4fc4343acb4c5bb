package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/** The shape of a statement: what its text says about the rows that the statement locks. */
public sealed interface StatementShape {
    /** Whether the statement may acquire locks for which other transactions wait. This is false for a plain read. */
    default boolean mayLock() {
        return true;
    }

    /**
     * A statement that locks rows of one table and selects the rows by equality of columns.
     *
     * @param kind the kind of statement
     * @param table the table as SQL writes it, quoted only if it must be
     * @param mode the mode of the row lock
     * @param waiting the behaviour if another transaction holds the row lock
     * @param equalities all equalities in the order of the text, including the equalities of key columns
     * @param moreConditions whether there are conditions other than equalities
     * @param row a query that finds the same rows without a lock; its parameters are the parameters of all conditions
     * @param returnsRows whether the statement returns rows rather than an update count
     * @param parameters the number of parameters in the text
     */
    record Recognised(
            Kind kind,
            String table,
            RowLockMode mode,
            Waiting waiting,
            List<Equality> equalities,
            boolean moreConditions,
            String row,
            boolean returnsRows,
            int parameters)
            implements StatementShape {
        public Recognised {
            equalities = List.copyOf(equalities);
        }

        /**
         * Returns the values of a primary key, in the order of its columns; null if the statement lacks a value for one
         * of these columns.
         */
        public @Nullable List<Value> key(List<String> primaryKey) {
            List<Value> values = new ArrayList<>(primaryKey.size());
            for (String column : primaryKey) {
                equalities.stream()
                        .filter(equality -> equality.column().equals(column))
                        .findFirst()
                        .ifPresent(equality -> values.add(equality.value()));
            }
            return primaryKey.isEmpty() || values.size() < primaryKey.size() ? null : values;
        }

        public List<Value> values() {
            return equalities.stream().map(Equality::value).toList();
        }

        /** Whether the key is the only condition, so that the statement finds the row if it exists. */
        public boolean hasOnly(List<Value> key) {
            return !moreConditions && equalities.size() == key.size();
        }
    }

    /**
     * A statement that Rowlock sends to the server without a wait.
     *
     * @param reason the reason why the statement does not wait
     * @param table the table into which the statement inserts one row, as SQL writes it; empty for any other statement
     * @param parameters the number of parameters of an INSERT of one row; -1 for any other statement
     */
    record PassedThrough(PassReason reason, String table, int parameters) implements StatementShape {
        PassedThrough(PassReason reason) {
            this(reason, "", -1);
        }

        @Override
        public boolean mayLock() {
            return reason != PassReason.NOT_LOCKING;
        }
    }

    enum Kind {
        SELECT,
        UPDATE,
        DELETE
    }

    /** The behaviour of a statement if another transaction holds the row lock. */
    enum Waiting {
        WAIT,
        NOWAIT,
        SKIP_LOCKED
    }

    /**
     * A column that must be equal to a value.
     *
     * @param column its name as in the catalog
     * @param value the value
     */
    record Equality(String column, Value value) {}

    sealed interface Value {}

    /**
     * A value that is bound to a parameter.
     *
     * @param index the index in JDBC, from 1
     */
    record Parameter(int index) implements Value {}

    /** A number, or a string without its quotes. */
    record Literal(String text) implements Value {}
}
