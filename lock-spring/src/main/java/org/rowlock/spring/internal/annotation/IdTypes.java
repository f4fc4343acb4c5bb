package org.rowlock.spring.internal.annotation;

import static java.util.Map.entry;

import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.util.ClassUtils;

/**
 * Which Java types can be the own type of a column. Of another type one row may be spelled in several ways, such as
 * {@code "1"} and {@code "01"} for a number: one row for the row lock, and two keys for the advisory lock.
 */
public final class IdTypes {
    /** By the type as the server names it; the first is an example. Of other types any value may be. */
    private static final Map<String, List<Class<?>>> FITTING = Map.ofEntries(
            entry("smallint", List.of(int.class, Number.class)),
            entry("integer", List.of(int.class, Number.class)),
            entry("bigint", List.of(long.class, Number.class)),
            entry("oid", List.of(long.class, Number.class)),
            entry("numeric", List.of(BigDecimal.class, Number.class)),
            entry("uuid", List.of(UUID.class, String.class)),
            entry("date", List.of(LocalDate.class, java.sql.Date.class)),
            entry("time without time zone", List.of(LocalTime.class)),
            entry("timestamp without time zone", List.of(LocalDateTime.class)),
            entry("timestamp with time zone", List.of(Instant.class, OffsetDateTime.class, ZonedDateTime.class)),
            entry("enum", List.of(String.class, Enum.class)));

    private IdTypes() {}

    /** Whether values of a type are spelled as those of a column; of a domain it is the base type. */
    public static boolean fit(Class<?> type, String column) {
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        return boxed == Object.class
                || (Modifier.isAbstract(boxed.getModifiers()) && !boxed.isEnum())
                || FITTING.getOrDefault(column, List.of(Object.class)).stream()
                        .anyMatch(fitting -> fitting.isAssignableFrom(boxed));
    }

    /** What to declare instead. */
    public static String example(String column) {
        return FITTING.getOrDefault(column, List.of(String.class)).get(0).getSimpleName();
    }
}
