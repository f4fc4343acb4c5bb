package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/** The shape of a statement: the rows that it locks, as far as its text shows them. */
public sealed interface StatementShape {
    /** Whether the statement may acquire locks that others wait for. Only a plain read may not. */
    default boolean mayLock() {
        return true;
    }

    /**
     * A statement that locks rows of one table, found by equality.
     *
     * @param kind the kind of statement
     * @param table the table as SQL writes it, quoted only if it must be
     * @param mode the mode of the row lock
     * @param waiting the behaviour if another transaction has locked the row
     * @param equalities all equalities in the order of the text, those of the key among them
     * @param moreConditions whether there are conditions other than equalities
     * @param row a query that finds the same rows without a lock; it has the parameters of all conditions
     * @param returnsRows whether it returns rows, and not their number
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
         * Returns the values of a primary key, in its order; null if the statement does not name all of its columns.
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

        /** Returns the value of each equality, in the order of the text. */
        public List<Value> values() {
            return equalities.stream().map(Equality::value).toList();
        }

        /** Whether the key is the only condition, so that the statement finds every row that exists. */
        public boolean hasOnly(List<Value> key) {
            return !moreConditions && equalities.size() == key.size();
        }
    }

    /**
     * A statement that goes to the server as it is.
     *
     * @param reason the reason
     * @param table the table into which it inserts one row, as SQL writes it; empty if it does something else
     * @param parameters the number of parameters of such an INSERT; else -1
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

    /** The kind of a statement. */
    enum Kind {
        SELECT,
        UPDATE,
        DELETE
    }

    /** The behaviour of a statement if another transaction has locked the row. */
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

    /** A value to which a column must be equal. */
    sealed interface Value {}

    /**
     * A value that is bound to a parameter.
     *
     * @param index as JDBC counts, from 1
     */
    record Parameter(int index) implements Value {}

    /** A number, or a string without its quotes. */
    record Literal(String text) implements Value {}
}
