package org.rowlock.jdbc.internal.statement;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.temporal.Temporal;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/**
 * The values bound to the parameters of a statement: those that may be of the key, by value, so that 42, 42L and "42"
 * are one row; and all, to be set again on another statement, if they are kept.
 */
public final class Binds {
    /** Of a statement without parameters. */
    public static final Binds NONE = new Binds(0);

    /** In place of a value that is among the numbers. */
    private enum Mark {
        NUMBER
    }

    private final @Nullable Object[] values;
    private final long[] numbers;

    /** Null while the values are not kept to be set again. */
    private @Nullable Setter @Nullable [] setters;

    /** Sets a parameter as it was set. */
    public interface Setter {
        void set(PreparedStatement statement, int index) throws SQLException;
    }

    /** @param parameters how many may be of the key, counted from the first */
    public Binds(int parameters) {
        this.values = new @Nullable Object[parameters];
        this.numbers = new long[parameters];
    }

    /** From here on all of so many values are kept. */
    public void keep(int parameters) {
        setters = new @Nullable Setter[parameters];
    }

    public boolean keeps() {
        return setters != null;
    }

    /** Whether a value is the same when it is set again: it does not change, and is not read once. */
    public static boolean isConstant(@Nullable Object value) {
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

    /**
     * A number was set.
     *
     * @param setter null where the value cannot be set again
     */
    public void set(int index, long value, @Nullable Setter setter) {
        if (index > 0 && index <= values.length) {
            values[index - 1] = Mark.NUMBER;
            numbers[index - 1] = value;
        }
        if (setters != null && index > 0 && index <= setters.length) {
            setters[index - 1] = setter;
        }
    }

    /** The same of a value that is null where it is of no key. */
    public void set(int index, @Nullable Object value, @Nullable Setter setter) {
        if (value instanceof Number number
                && (value instanceof Integer
                        || value instanceof Long
                        || value instanceof Short
                        || value instanceof Byte)) {
            set(index, number.longValue(), setter);
            return;
        }
        set(index, 0L, setter);
        if (index > 0 && index <= values.length) {
            values[index - 1] = value;
        }
    }

    public void clear() {
        Arrays.fill(values, null);
        if (setters != null) {
            Arrays.fill(setters, null);
        }
    }

    /** A copy of what may be of the key, for the time until a batch is sent. */
    public Binds copy() {
        Binds copy = new Binds(values.length);
        System.arraycopy(values, 0, copy.values, 0, values.length);
        System.arraycopy(numbers, 0, copy.numbers, 0, values.length);
        return copy;
    }

    /** Whether all values can be set again. */
    public boolean areKept() {
        return setters != null && Arrays.stream(setters).noneMatch(Objects::isNull);
    }

    /** Sets all, behind as many others. */
    public void setAll(PreparedStatement statement, int others) throws SQLException {
        @Nullable Setter[] all = Objects.requireNonNull(setters);
        for (int i = 0; i < all.length; i++) {
            Objects.requireNonNull(all[i]).set(statement, others + i + 1);
        }
    }

    /** Whether every value of a key is known. */
    public boolean has(RowKey key) {
        for (Value value : key.values()) {
            if (value instanceof Parameter parameter && !isKnown(parameter)) {
                return false;
            }
        }
        return true;
    }

    private boolean isKnown(Parameter parameter) {
        int at = parameter.index() - 1;
        Object value = at < values.length ? values[at] : null;
        return value != null && !value.getClass().isArray();
    }

    /** A hash of the values of a key that are all known. */
    public int hash(RowKey key) {
        int hash = 1;
        for (Value value : key.values()) {
            hash = 31 * hash + hash(value);
        }
        return hash;
    }

    private int hash(Value value) {
        if (value instanceof Literal literal) {
            return hashOfText(literal.text());
        }
        int at = ((Parameter) value).index() - 1;
        Object bound = values[at];
        if (bound instanceof Mark) {
            return Long.hashCode(numbers[at]);
        }
        return hashOfText(
                bound instanceof BigDecimal decimal
                        ? decimal.stripTrailingZeros().toPlainString()
                        : String.valueOf(bound));
    }

    /** Of a whole number that of its value. */
    private static int hashOfText(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        boolean whole = text.length() > start && text.length() <= 18;
        long number = 0;
        for (int i = start; i < text.length() && whole; i++) {
            int digit = text.charAt(i) - '0';
            whole = digit >= 0 && digit <= 9;
            number = number * 10 + digit;
        }
        return whole ? Long.hashCode(start == 1 ? -number : number) : text.hashCode();
    }

    /** The value of a key that is known. */
    public Object value(Value value) {
        if (value instanceof Literal literal) {
            return literal.text();
        }
        int at = ((Parameter) value).index() - 1;
        Object bound = values[at];
        return bound instanceof Mark ? Long.valueOf(numbers[at]) : Objects.requireNonNull(bound);
    }

    /** The values of a key that are all known, to be shown. */
    public String text(RowKey key) {
        StringBuilder text = new StringBuilder();
        for (Value value : key.values()) {
            text.append(text.isEmpty() ? "" : ", ").append(text(value));
        }
        return text.toString();
    }

    private String text(Value value) {
        return String.valueOf(value(value));
    }
}
