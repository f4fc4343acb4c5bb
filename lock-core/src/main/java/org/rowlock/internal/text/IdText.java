package org.rowlock.internal.text;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The text of an id: rule 2 of key version 1. The text depends on the value, not on the Java type, so that {@code 42},
 * {@code 42L} and {@code "42"} have the same key. Objects of unsupported types are refused, and never converted by
 * {@code toString()}.
 */
public final class IdText {
    /** The separator of the parts of a composite id: the unit separator of ASCII. */
    public static final char SEPARATOR = 31;

    private static final int MOST_DIGITS = 1_000;
    private static final int UUID_LENGTH = 36;

    /** The first and the last second of the years 1 to 9999, as numbers, because parsing takes time at startup. */
    private static final long FIRST_SECOND = -62_135_596_800L;

    private static final long LAST_SECOND = 253_402_300_799L;

    private IdText() {}

    /**
     * Returns the text of an id. A text in the form of a UUID is not converted to lower case, because the column may
     * have a text type.
     */
    public static String of(String table, @Nullable Object id) {
        if (id instanceof String text) {
            return checked(table, text);
        }
        if (id instanceof Long
                || id instanceof Integer
                || id instanceof Short
                || id instanceof Byte
                || id instanceof UUID
                || id instanceof BigInteger) {
            return id.toString();
        }
        if (id instanceof BigDecimal decimal) {
            return ofDecimal(table, decimal);
        }
        if (id instanceof Character character) {
            return checked(table, character.toString());
        }
        if (id instanceof Enum<?> constant) {
            return constant.name();
        }
        if (id instanceof java.sql.Date date) {
            return ofTemporal(table, date.toLocalDate());
        }
        if (id instanceof Temporal temporal) {
            return ofTemporal(table, temporal);
        }
        throw refused(table, id, id == null ? "is null" : "cannot be a lock key");
    }

    public static String checked(String table, @Nullable String text) {
        if (text == null) {
            throw refused(table, null, "is null");
        }
        if (text.isBlank()) {
            throw refused(table, text, "is blank");
        }
        if (text.indexOf(0) >= 0) {
            throw refused(table, text, "contains a NUL character, which PostgreSQL text cannot");
        }
        if (hasLoneSurrogate(text)) {
            throw refused(table, text, "contains half of a surrogate pair, which the driver would send as a ?");
        }
        return text;
    }

    /** Whether the text cannot be encoded in UTF-8. Two such texts could be sent as the same bytes. */
    public static boolean hasLoneSurrogate(String text) {
        int point;
        for (int i = 0; i < text.length(); i += Character.charCount(point)) {
            point = text.codePointAt(i);
            if (Character.isBmpCodePoint(point) && Character.isSurrogate((char) point)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the form from which the key is derived: a UUID in lower case, or any other text unchanged. */
    public static String canonical(String text) {
        return isUuid(text) ? text.toLowerCase(Locale.ROOT) : text;
    }

    static boolean isUuid(String text) {
        boolean fits = text.length() == UUID_LENGTH;
        for (int i = 0; fits && i < UUID_LENGTH; i++) {
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            fits = dash ? text.charAt(i) == '-' : HexFormat.isHexDigit(text.charAt(i));
        }
        return fits;
    }

    private static String ofDecimal(String table, BigDecimal decimal) {
        // A number such as 1e999999999 has a very long text, so the number of digits is checked first.
        if ((long) decimal.precision() - decimal.scale() > MOST_DIGITS) {
            throw new IllegalArgumentException("The id for table " + table + " is a number of more than " + MOST_DIGITS
                    + " digits; give the id of a row");
        }
        if (decimal.signum() == 0) {
            return "0";
        }
        // A number such as 1e-999999999 is between -1 and 1, and its conversion could take minutes.
        if (decimal.scale() >= decimal.precision()) {
            throw refused(table, decimal, "is not an integral number");
        }
        try {
            return decimal.toBigIntegerExact().toString();
        } catch (ArithmeticException notIntegral) {
            throw refused(table, decimal, "is not an integral number");
        }
    }

    /** Formats a value as in ISO 8601, always with seconds. A value with a time zone is converted to UTC. */
    private static String ofTemporal(String table, Temporal value) {
        if (value instanceof OffsetDateTime || value instanceof ZonedDateTime || value instanceof Instant) {
            Instant instant = Instant.from(value);
            if (instant.getEpochSecond() < FIRST_SECOND || instant.getEpochSecond() > LAST_SECOND) {
                throw refused(table, value, "is outside the years 1 to 9999");
            }
            return ofTemporal(table, LocalDateTime.ofInstant(instant, ZoneOffset.UTC)) + 'Z';
        }
        DateTimeFormatter format = value instanceof LocalDate
                ? DateTimeFormatter.ISO_LOCAL_DATE
                : value instanceof LocalTime
                        ? DateTimeFormatter.ISO_LOCAL_TIME
                        : value instanceof LocalDateTime ? DateTimeFormatter.ISO_LOCAL_DATE_TIME : null;
        if (format == null) {
            throw refused(table, value, "cannot be a lock key");
        }
        if (value.isSupported(ChronoField.YEAR)) {
            int year = value.get(ChronoField.YEAR);
            if (year < 1 || year > 9999) {
                throw refused(table, value, "is outside the years 1 to 9999");
            }
        }
        if (value.isSupported(ChronoField.NANO_OF_SECOND) && value.get(ChronoField.NANO_OF_SECOND) % 1000 != 0) {
            throw refused(table, value, "is finer than microseconds, which PostgreSQL would round");
        }
        return format.format(value);
    }

    /** Whether the text is an int4 as the server prints it: without plus sign, leading zeros or minus zero. */
    public static boolean isInt4(String text) {
        if (text.length() > 11 || !IdType.isLongDecimal(text)) {
            return false;
        }
        long value = Long.parseLong(text);
        return value >= Integer.MIN_VALUE && value <= Integer.MAX_VALUE;
    }

    private static IllegalArgumentException refused(String table, @Nullable Object id, String why) {
        String given = id == null ? "" : " of type " + id.getClass().getName();
        return new IllegalArgumentException("The id" + given + " for table " + table + " " + why
                + "; give an integral number, a UUID, a non-blank string or character, an enum, a java.time date or"
                + " time (finest microseconds), or for a composite id one such value per column");
    }
}
