package org.rowlock.jdbc.internal.statement;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/** The values bound to the parameters that may be of the key. By value, so that 42, 42L and "42" are one row. */
public final class Binds {
    /** Of a statement without parameters. */
    public static final Binds NONE = new Binds(0);

    /** In place of a value that is among the numbers. */
    private enum Mark {
        NUMBER
    }

    private final @Nullable Object[] values;
    private final long[] numbers;

    private Binds(int parameters) {
        this.values = new @Nullable Object[parameters];
        this.numbers = new long[parameters];
    }

    /** For so many parameters, counted from the first. */
    public static Binds of(int parameters) {
        return parameters == 0 ? NONE : new Binds(parameters);
    }

    public void set(int index, long value) {
        if (index > 0 && index <= values.length) {
            values[index - 1] = Mark.NUMBER;
            numbers[index - 1] = value;
        }
    }

    public void set(int index, @Nullable Object value) {
        if (index <= 0 || index > values.length) {
            return;
        }
        if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
            set(index, ((Number) value).longValue());
        } else {
            values[index - 1] = value;
        }
    }

    public void clear() {
        Arrays.fill(values, null);
    }

    /** A copy for the time until a batch is sent. */
    public Binds copy() {
        if (values.length == 0) {
            return this;
        }
        Binds copy = new Binds(values.length);
        System.arraycopy(values, 0, copy.values, 0, values.length);
        System.arraycopy(numbers, 0, copy.numbers, 0, values.length);
        return copy;
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
