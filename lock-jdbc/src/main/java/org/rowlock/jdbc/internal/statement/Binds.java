package org.rowlock.jdbc.internal.statement;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.temporal.Temporal;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.Write;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/**
 * The values bound to the parameters of a statement. Values that may belong to a key are compared by value, so that 42,
 * 42L and "42" identify the same row. After a call of {@link #keep}, Rowlock can set all values again on another
 * statement.
 */
public final class Binds {
    public static final Binds NONE = new Binds(0);

    private static final Set<Class<?>> CONSTANTS = Set.of(
            String.class,
            Integer.class,
            Long.class,
            Short.class,
            Byte.class,
            Double.class,
            Float.class,
            BigDecimal.class,
            BigInteger.class,
            Boolean.class,
            UUID.class);

    /** A mark for a value that is stored in {@link #numbers}. */
    private enum Mark {
        NUMBER
    }

    private final @Nullable Object[] values;
    private final long[] numbers;

    /** For each parameter, the setter that sets its value again; null before {@link #keep} is called. */
    private @Nullable Setter @Nullable [] setters;

    /** Sets a parameter again, with the type that the application used. */
    public interface Setter {
        void set(PreparedStatement statement, int index) throws SQLException;
    }

    /** Sets a byte array. The driver reads the bytes only when the statement is executed. */
    @SuppressWarnings("ArrayRecordComponent") // Instances of this record are never compared.
    public record Bytes(byte @Nullable [] value) implements Setter {
        @Override
        public void set(PreparedStatement statement, int index) throws SQLException {
            statement.setBytes(index, value);
        }

        private Write.Bound asNow() {
            return new Bytes(value == null ? null : value.clone())::set;
        }
    }

    public Binds(int parameters) {
        this.values = new @Nullable Object[parameters];
        this.numbers = new long[parameters];
    }

    /** Starts to record how each value is set. */
    public void keep() {
        setters = new @Nullable Setter[values.length];
    }

    public boolean keeps() {
        return setters != null;
    }

    /**
     * Returns the value, or a copy if the application could change the object, as with a date. Returns null if the
     * value can be read only once, or if its type is unknown.
     */
    @SuppressWarnings("JavaUtilDate") // The API of JDBC uses java.util.Date.
    public static @Nullable Object kept(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.clone();
        }
        return value instanceof Date date ? date.clone() : isConstant(value) ? value : null;
    }

    private static boolean isConstant(@Nullable Object value) {
        return value == null || value instanceof Temporal || CONSTANTS.contains(value.getClass());
    }

    /**
     * Records that a number was set.
     *
     * @param setter null if the value cannot be set again
     */
    public void set(int index, long value, @Nullable Setter setter) {
        set(index, Mark.NUMBER, value, setter);
    }

    public void set(int index, @Nullable Object value, @Nullable Setter setter) {
        if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
            set(index, Mark.NUMBER, ((Number) value).longValue(), setter);
        } else {
            set(index, value, 0, setter);
        }
    }

    private void set(int index, @Nullable Object value, long number, @Nullable Setter setter) {
        if (index > 0 && index <= values.length) {
            values[index - 1] = value;
            numbers[index - 1] = number;
            if (setters != null) {
                setters[index - 1] = setter;
            }
        }
    }

    public void clear() {
        Arrays.fill(values, null);
        if (setters != null) {
            Arrays.fill(setters, null);
        }
    }

    /** Returns a copy for one execution of a batch. */
    public Binds copy() {
        Binds copy = new Binds(values.length);
        System.arraycopy(values, 0, copy.values, 0, values.length);
        System.arraycopy(numbers, 0, copy.numbers, 0, values.length);
        copy.setters = setters == null ? null : setters.clone();
        return copy;
    }

    /** Whether all values can be set again. */
    public boolean areKept() {
        if (setters == null) {
            return false;
        }
        for (Setter setter : setters) {
            if (setter == null) {
                return false;
            }
        }
        return true;
    }

    /** Returns the current values. Later calls of the application do not change the returned values. */
    public Object[] bound() {
        @Nullable Setter[] all = Objects.requireNonNull(setters);
        Object[] bound = new Object[all.length];
        for (int i = 0; i < all.length; i++) {
            Setter setter = Objects.requireNonNull(all[i]);
            bound[i] = setter instanceof Bytes bytes ? bytes.asNow() : (Write.Bound) setter::set;
        }
        return bound;
    }

    /** Sets all values on a statement, in the parameters after the given number of other parameters. */
    public void setAll(PreparedStatement statement, int others) throws SQLException {
        @Nullable Setter[] all = Objects.requireNonNull(setters);
        for (int i = 0; i < all.length; i++) {
            Objects.requireNonNull(all[i]).set(statement, others + i + 1);
        }
    }

    /**
     * Sets the parameters among the given values, starting at index {@code at}. Returns the index after the last
     * parameter that was set.
     */
    public int set(PreparedStatement statement, int at, List<Value> some) throws SQLException {
        int index = at;
        for (Value value : some) {
            if (value instanceof Parameter parameter) {
                Objects.requireNonNull(Objects.requireNonNull(setters)[parameter.index() - 1])
                        .set(statement, index++);
            }
        }
        return index;
    }

    /** Whether every value of a key is known: not null, and of a supported type. */
    public boolean has(List<Value> key) {
        for (Value value : key) {
            if (value instanceof Parameter parameter && !isKnown(parameter.index())) {
                return false;
            }
        }
        return true;
    }

    private boolean isKnown(int index) {
        Object value = index <= values.length ? values[index - 1] : null;
        return value != null && (value instanceof Mark || isConstant(value));
    }

    /** Returns a hash of a key whose values are all known. */
    public int hash(List<Value> key) {
        int hash = 1;
        for (Value value : key) {
            boolean number = value instanceof Parameter parameter && values[parameter.index() - 1] instanceof Mark;
            hash = 31 * hash
                    + (number ? Long.hashCode(numbers[((Parameter) value).index() - 1]) : hashOfText(text(value)));
        }
        return hash;
    }

    /**
     * Returns the hash of a text. The text of a whole number has the same hash as that number, if the text has at most
     * 18 characters.
     */
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

    /** Returns the value of a key column. The value must be known, see {@link #has}. */
    public Object value(Value value) {
        if (value instanceof Literal literal) {
            return literal.text();
        }
        int at = ((Parameter) value).index() - 1;
        Object bound = values[at];
        return bound instanceof Mark ? Long.valueOf(numbers[at]) : Objects.requireNonNull(bound);
    }

    /** Returns a text for a key whose values are all known. Equal keys have equal texts. */
    public String text(List<Value> key) {
        return key.stream().map(this::text).collect(Collectors.joining(", "));
    }

    private String text(Value value) {
        Object known = value(value);
        return known instanceof BigDecimal decimal
                ? decimal.stripTrailingZeros().toPlainString()
                : String.valueOf(known);
    }
}
