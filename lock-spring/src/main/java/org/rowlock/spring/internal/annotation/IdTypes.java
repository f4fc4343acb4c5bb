package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Modifier;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.UUID;
import org.springframework.util.ClassUtils;

/**
 * Which Java types can be the own type of a column. Of another type one row may be spelled in several ways, such as
 * {@code "1"} and {@code "01"} for a number: one row for the row lock, and two keys for the advisory lock.
 */
public final class IdTypes {
    private IdTypes() {}

    /**
     * Whether values of a type are spelled as those of a column.
     *
     * @param column the type as the server names it; {@code enum} for one of these; of a domain its base type
     */
    public static boolean fit(Class<?> type, String column) {
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        if (boxed == Object.class || (Modifier.isAbstract(boxed.getModifiers()) && !boxed.isEnum())) {
            return true;
        }
        return switch (column) {
            case "smallint", "integer", "bigint", "numeric", "oid" -> Number.class.isAssignableFrom(boxed);
            case "uuid" -> boxed == UUID.class || boxed == String.class;
            case "date" -> boxed == LocalDate.class || boxed == java.sql.Date.class;
            case "time without time zone" -> boxed == LocalTime.class;
            case "timestamp without time zone" -> boxed == LocalDateTime.class;
            case "timestamp with time zone" ->
                List.<Class<?>>of(Instant.class, OffsetDateTime.class, ZonedDateTime.class)
                        .contains(boxed);
            case "enum" -> boxed.isEnum() || boxed == String.class;
            default -> true;
        };
    }

    /** What to declare instead. */
    public static String example(String column) {
        return switch (column) {
            case "smallint", "integer" -> "int";
            case "bigint", "oid" -> "long";
            case "numeric" -> "BigDecimal";
            case "uuid" -> "UUID";
            case "date" -> "LocalDate";
            case "time without time zone" -> "LocalTime";
            case "timestamp without time zone" -> "LocalDateTime";
            case "timestamp with time zone" -> "Instant";
            default -> "String";
        };
    }
}
