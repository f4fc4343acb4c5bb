package org.rowlock.jdbc.internal.statement;

import java.math.BigDecimal;
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
import org.postgresql.util.PGobject;
import org.rowlock.internal.request.Write;
import org.rowlock.jdbc.internal.statement.StatementShape.Equality;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/**
 * The values bound to the parameters of a statement. Values that may belong to a key are compared by text, so that 42,
 * 42L and "42" identify the same row. Rowlock can set the values again on another statement.
 */
public final class Binds {
    public static final Binds NONE = new Binds(0, false);

    /** The packages whose subclasses of Number are immutable. */
    private static final Set<String> OF_NUMBERS = Set.of("java.lang", "java.math");

    private final @Nullable Object[] values;

    /** For each parameter, the setter that sets its value again; null if the value cannot be set again. */
    private final Write.@Nullable Bound[] setters;

    private final boolean repeatable;

    /** @param repeatable whether another statement may run with the same values in place of this statement */
    public Binds(int parameters, boolean repeatable) {
        this(new @Nullable Object[parameters], new Write.@Nullable Bound[parameters], repeatable);
    }

    private Binds(@Nullable Object[] values, Write.@Nullable Bound[] setters, boolean repeatable) {
        this.values = values;
        this.setters = setters;
        this.repeatable = repeatable;
    }

    /** Whether values are recorded; false if the statement has no parameters, or Rowlock does not need their values. */
    public boolean keeps() {
        return values.length > 0;
    }

    /**
     * Returns the value, or a copy if the application could change the object, as with a date. Returns null if the
     * value can be read only once, or if its type is unknown.
     */
    @SuppressWarnings("JavaUtilDate") // The API of JDBC uses java.util.Date.
    public static @Nullable Object kept(@Nullable Object value) throws SQLException {
        if (value instanceof PGobject given) {
            PGobject copy = new PGobject();
            copy.setType(given.getType());
            copy.setValue(given.getValue());
            return copy;
        }
        Object copy = value instanceof byte[] bytes ? bytes.clone() : value instanceof Date date ? date.clone() : null;
        return copy == null && isConstant(value) ? value : copy;
    }

    private static boolean isConstant(@Nullable Object value) {
        return value == null
                || value instanceof String
                || value instanceof Boolean
                || value instanceof UUID
                || value instanceof Temporal
                || (value instanceof Number
                        && OF_NUMBERS.contains(value.getClass().getPackageName()));
    }

    /**
     * Records that a value was set.
     *
     * @param value null if the value cannot belong to a key
     * @param setter null if the value cannot be set again
     */
    public void set(int index, @Nullable Object value, Write.@Nullable Bound setter) {
        if (index > 0 && index <= values.length) {
            values[index - 1] = value;
            setters[index - 1] = setter;
        }
    }

    public void clear() {
        Arrays.fill(values, null);
        Arrays.fill(setters, null);
    }

    public Binds copy() {
        return new Binds(values.clone(), setters.clone(), repeatable);
    }

    public boolean areKept() {
        return repeatable && !Arrays.asList(setters).contains(null);
    }

    /** Returns the current values. Later calls of the application do not change the returned values. */
    public @Nullable Object[] bound() {
        return setters.clone();
    }

    /** Sets all values on a statement, after its first {@code others} parameters. */
    public void setAll(PreparedStatement statement, int others) throws SQLException {
        for (int i = 0; i < setters.length; i++) {
            Objects.requireNonNull(setters[i]).set(statement, others + i + 1);
        }
    }

    /**
     * Sets the parameters among the given equalities, from index {@code at} on. Returns the index after the last one.
     */
    public int set(PreparedStatement statement, int at, List<Equality> some) throws SQLException {
        int index = at;
        for (Equality equality : some) {
            if (equality.value() instanceof Parameter parameter) {
                Objects.requireNonNull(setters[parameter.index() - 1]).set(statement, index++);
            }
        }
        return index;
    }

    /** Whether every value of a key is known: not null, and of a supported type. */
    public boolean has(List<Value> key) {
        for (Value value : key) {
            Object known = value instanceof Parameter it && it.index() > values.length ? null : value(value);
            if (known == null || !isConstant(known)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the value of a key column; null if another thread has cleared the values since {@link #has}. */
    public @Nullable Object value(Value value) {
        return value instanceof Literal literal ? literal.text() : values[((Parameter) value).index() - 1];
    }

    /** Returns a text for a key whose values are all known. Equal keys have equal texts. */
    public String text(List<Value> key) {
        return key.size() == 1 ? text(key.get(0)) : key.stream().map(this::text).collect(Collectors.joining(", "));
    }

    private String text(Value value) {
        @Nullable Object known = value(value);
        return known instanceof BigDecimal decimal
                ? decimal.stripTrailingZeros().toPlainString()
                : String.valueOf(known);
    }
}
