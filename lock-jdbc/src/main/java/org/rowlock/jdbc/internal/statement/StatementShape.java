package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/** What the text of a statement says about the rows that it locks. */
public sealed interface StatementShape {
    /** Whether the statement may take locks that others wait for: everything that is not known for a plain read. */
    default boolean mayLock() {
        return true;
    }

    /**
     * Locks rows of one table, found by equality.
     *
     * @param table as SQL writes it: quoted only where it must be
     * @param equalities all that must hold, in the order of the text: those of the key and others
     * @param moreConditions whether others than equalities must hold too
     * @param row a query that finds the same, locked or not, with the parameters of all conditions
     * @param returnsRows whether its result is rows, and not their number
     * @param parameters how many there are in the text
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

        /** The values of a primary key, in its order; null where the statement does not name all of its columns. */
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

        /** What must be equal to a column each, in the order of the text. */
        public List<Value> values() {
            return equalities.stream().map(Equality::value).toList();
        }

        /** Whether nothing but a key must hold, so that only a row that does not exist is not found. */
        public boolean hasOnly(List<Value> key) {
            return !moreConditions && equalities.size() == key.size();
        }
    }

    /**
     * Goes to the server as it is, for this reason.
     *
     * @param table into which it inserts one row, as SQL writes it; empty where it does something else
     * @param parameters how many there are in the text of such an INSERT; else -1
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

    /** Which statement it is. */
    enum Kind {
        SELECT,
        UPDATE,
        DELETE
    }

    /** What the statement does where another has locked the row. */
    enum Waiting {
        WAIT,
        NOWAIT,
        SKIP_LOCKED
    }

    /**
     * A column that must be equal to a value.
     *
     * @param column its name as in the catalog
     */
    record Equality(String column, Value value) {}

    /** What a column must be equal to. */
    sealed interface Value {}

    /**
     * The value that is bound.
     *
     * @param index as JDBC counts, from 1
     */
    record Parameter(int index) implements Value {}

    /** A number, or a string without its quotes. */
    record Literal(String text) implements Value {}
}
