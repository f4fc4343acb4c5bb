package org.rowlock.internal.text;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.temporal.Temporal;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The type of an id column. The type determines the canonical text of a value, and which texts are accepted as ids.
 *
 * <p>The server also accepts texts that are not canonical: {@code 007} finds the row 7, but would have another key.
 * Rowlock refuses such an id before it sends the lock statement. Ids of type {@link #KEYLESS} have no keys, so Rowlock
 * refuses advisory locks of their rows.
 */
public enum IdType {
    SMALLINT("pg_catalog.int2"),
    INTEGER("pg_catalog.int4"),
    BIGINT("pg_catalog.int8"),
    NUMERIC("pg_catalog.numeric"),
    UUID("pg_catalog.uuid"),
    TEXT("pg_catalog.text"),
    VARCHAR("pg_catalog.varchar"),
    /** {@code char(n)}. Comparisons ignore the padding, and the cast to text removes the padding. */
    CHAR("pg_catalog.bpchar"),
    DATE("pg_catalog.date"),
    TIME("pg_catalog.time"),
    TIMESTAMP("pg_catalog.timestamp"),
    TIMESTAMPTZ("pg_catalog.timestamptz"),
    BYTEA("pg_catalog.bytea"),
    /** An enum type of PostgreSQL. The label is the only spelling of a value, and only the server knows the labels. */
    ENUM(""),
    /**
     * All other types. An id of such a type has no key, because one row could then have several keys. Equal values may
     * have several texts (citext, nondeterministic collations, jsonb). Rowlock may not know all spellings of a value
     * (inet, boolean). The text may depend on a setting of the session (float8, interval, ranges).
     */
    KEYLESS("");

    private static final String ADVICE = " Give an id that the column's type can hold";
    private static final String OUT_OF_RANGE = "is out of its range." + ADVICE;
    /** A number with more than twice this many digits, such as 1e999999999, is not converted to text, but refused. */
    private static final int MOST_DIGITS = 1_000;

    private static final IdType[] TYPES = values();

    private final String sqlName;

    /** A separate class, so that the patterns are compiled only on demand, which is rare. */
    private static final class Forms {
        static final Pattern PADDING = Pattern.compile(" +\\z");
        static final Pattern BYTES = Pattern.compile("\\\\x(?:[0-9a-f]{2})*+");
    }

    IdType(String sqlName) {
        this.sqlName = sqlName;
    }

    /**
     * Returns the constant for a type of the catalog. For a domain, the caller passes the base type.
     *
     * @param deterministic false if the collation is nondeterministic, so that different texts may be equal values
     */
    public static IdType of(String sqlName, boolean isEnum, boolean deterministic) {
        if (!deterministic) {
            return KEYLESS;
        }
        String plain = sqlName.replace("\"", "");
        for (IdType type : TYPES) {
            if (type.sqlName.equals(plain) && !plain.isEmpty()) {
                return type;
            }
        }
        return isEnum ? ENUM : KEYLESS;
    }

    /**
     * Returns an expression for the canonical text of an id. If the type has no keys, the text is the text that the
     * driver returns, because a cast may give a different text.
     */
    public String textOf(String column) {
        String printed = "cast(" + column + " as pg_catalog.text)";
        return switch (this) {
            case NUMERIC -> "cast(pg_catalog.trim_scale(" + column + ") as pg_catalog.text)";
            case TIMESTAMP ->
                "case when " + printed + " like '% BC' then " + printed + " else pg_catalog.replace(" + printed
                        + ", ' ', 'T') end";
            case TIMESTAMPTZ -> {
                String utc = "cast(pg_catalog.timezone('UTC', " + column + ") as pg_catalog.text)";
                yield "case when " + utc + " like '% BC' then pg_catalog.replace(" + utc + ", ' BC', '+00 BC') when "
                        + utc + " like '%infinity' then " + utc + " else pg_catalog.replace(" + utc
                        + ", ' ', 'T') || 'Z' end";
            }
            // The text must not depend on the setting bytea_output.
            case BYTEA -> "(pg_catalog.chr(92) || 'x' || pg_catalog.encode(" + column + ", 'hex'))";
            case KEYLESS -> "pg_catalog.format('%s', " + column + ')';
            default -> printed;
        };
    }

    /**
     * Returns the reason why a text is not accepted as an id, as the end of a sentence; null if the text is accepted.
     */
    @Nullable
    public String refusal(String text) {
        return switch (this) {
            case SMALLINT -> integer(text, Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER -> integer(text, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> integer(text, Long.MIN_VALUE, Long.MAX_VALUE);
            case NUMERIC -> {
                BigDecimal number = decimal(text);
                yield number == null ? "is not a number." + ADVICE : unless(text, plain(number));
            }
            case UUID ->
                IdText.isUuid(text) ? null : "is not a UUID of the form 8-4-4-4-12 hexadecimal digits." + ADVICE;
            case CHAR -> unless(text, Forms.PADDING.matcher(text).replaceFirst(""));
            case DATE -> temporal(text, LocalDate::parse);
            case TIME -> temporal(text, LocalTime::parse);
            case TIMESTAMP -> temporal(text, LocalDateTime::parse);
            case TIMESTAMPTZ -> temporal(text, OffsetDateTime::parse);
            case BYTEA ->
                Forms.BYTES.matcher(text).matches()
                        ? null
                        : "is not \\x followed by lower-case hexadecimal digits. Give the id in this form";
            case TEXT, VARCHAR, ENUM, KEYLESS -> null;
        };
    }

    /** Whether the plain cast of every value to text gives the canonical text of the value. */
    public boolean isPrintedAsKeyed() {
        return switch (this) {
            case SMALLINT, INTEGER, BIGINT, UUID -> true;
            default -> false;
        };
    }

    private static @Nullable String integer(String text, long least, long most) {
        if (isLongDecimal(text)) {
            // Every lock of a row with an integer id takes this path, which must not allocate.
            try {
                long number = Long.parseLong(text);
                return number < least || number > most ? OUT_OF_RANGE : null;
            } catch (NumberFormatException e) {
                return OUT_OF_RANGE;
            }
        }
        BigDecimal number = decimal(text);
        if (number == null || number.stripTrailingZeros().scale() > 0) {
            return "is not an integer." + ADVICE;
        }
        return number.compareTo(BigDecimal.valueOf(least)) < 0 || number.compareTo(BigDecimal.valueOf(most)) > 0
                ? OUT_OF_RANGE
                : unless(text, plain(number));
    }

    /** Whether the text is a whole number of at most 19 digits, in the form that the server prints. */
    static boolean isLongDecimal(String text) {
        int length = text.length();
        int first = length > 0 && text.charAt(0) == '-' ? 1 : 0;
        if (first == length || length - first > 19 || (text.charAt(first) == '0' && length > 1)) {
            return false;
        }
        for (int i = first; i < length; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    private static @Nullable BigDecimal decimal(String text) {
        try {
            BigDecimal number = new BigDecimal(text.strip());
            long digits = Math.max(0, (long) number.precision() - number.scale()) + Math.max(0, number.scale());
            return digits > 2 * MOST_DIGITS ? null : number;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }

    private static @Nullable String temporal(String text, Function<String, Temporal> parser) {
        try {
            return unless(text, IdText.of("", parser.apply(text)));
        } catch (DateTimeException | IllegalArgumentException e) {
            return "is not written as in ISO 8601, or is outside the years 1 to 9999. Give the id as described in "
                    + Docs.URL + "keys.md#ids";
        }
    }

    private static @Nullable String unless(String text, String right) {
        return text.equals(right)
                ? null
                : "is equal to \"" + right + "\" in this column, but is another key. Give \"" + right + '"';
    }
}
