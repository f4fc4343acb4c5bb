package org.rowlock.jdbc.internal.wrap;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.temporal.Temporal;
import java.util.Arrays;
import java.util.UUID;

/** The parameters of a statement, to be set again on another. What may change or is read once is not kept. */
final class KeptParameters {
    private final Setter[] setters;

    KeptParameters(int parameters) {
        this.setters = new Setter[parameters];
    }

    /** Sets a parameter as it was set. */
    interface Setter {
        void set(PreparedStatement statement, int index) throws SQLException;
    }

    /** Whether a value is the same when it is set again. */
    static boolean isConstant(Object value) {
        return value == null
                || value instanceof String
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Short
                || value instanceof Byte
                || value instanceof Double
                || value instanceof Float
                || value instanceof BigDecimal
                || value instanceof BigInteger
                || value instanceof Boolean
                || value instanceof UUID
                || value instanceof Temporal;
    }

    /** Keeps a parameter; null forgets it. */
    void keep(int index, Setter setter) {
        if (index > 0 && index <= setters.length) {
            setters[index - 1] = setter;
        }
    }

    void clear() {
        Arrays.fill(setters, null);
    }

    boolean areComplete() {
        for (Setter setter : setters) {
            if (setter == null) {
                return false;
            }
        }
        return true;
    }

    /** Sets all, behind as many others. */
    void setAll(PreparedStatement statement, int others) throws SQLException {
        for (int i = 0; i < setters.length; i++) {
            setters[i].set(statement, others + i + 1);
        }
    }
}
