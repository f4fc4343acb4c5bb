package org.rowlock.jmh.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.rowlock.LockStrategy;

/**
 * What is compared: how a transaction keeps others away, and the levers beside it. Written {@code ADVISORY},
 * {@code ROW+admission} or {@code BOTH+pipelined+admission}.
 *
 * @param method how others are kept away
 * @param pipelined whether the lock travels with the first statement of the work, in one round trip
 * @param admission whether threads queue in the JVM, before they borrow a connection
 */
public record Variant(Method method, boolean pipelined, boolean admission) {
    private static final String PIPELINED = "pipelined";
    private static final String ADMISSION = "admission";

    /** How a transaction keeps others away. */
    public enum Method {
        /** Rowlock with {@link LockStrategy#ROW}: the real {@code SELECT ... FOR UPDATE}. */
        ROW,
        /** Rowlock with {@link LockStrategy#BOTH}: the advisory lock in front of the row lock. */
        BOTH,
        /** Rowlock with {@link LockStrategy#ADVISORY}: the advisory lock alone. */
        ADVISORY,
        /** The advisory lock as a person would write it by hand: a statement of its own, and nothing checked. */
        NAIVE,
        /** No lock: a version column, and another try where somebody was faster. */
        OPTIMISTIC,
        /** Nothing at all. Never compared; shows that the checks notice. */
        NONE;

        boolean isRowlock() {
            return this == ROW || this == BOTH || this == ADVISORY;
        }

        LockStrategy strategy() {
            return LockStrategy.valueOf(name());
        }
    }

    /**
     * Reads the written form.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Variant parse(String text) {
        List<String> parts = Arrays.asList(text.trim().split("\\+"));
        List<String> levers = parts.subList(1, parts.size()).stream()
                .map(lever -> lever.toLowerCase(Locale.ROOT))
                .toList();
        if (!List.of(PIPELINED, ADMISSION).containsAll(levers)) {
            throw unknown(text);
        }
        try {
            Method method = Method.valueOf(parts.get(0).toUpperCase(Locale.ROOT));
            if (!levers.isEmpty() && !method.isRowlock()) {
                throw unknown(text);
            }
            return new Variant(method, levers.contains(PIPELINED), levers.contains(ADMISSION));
        } catch (IllegalArgumentException e) {
            throw unknown(text);
        }
    }

    private static IllegalArgumentException unknown(String text) {
        return new IllegalArgumentException("There is no variant " + text + "; give one of "
                + Arrays.stream(Method.values())
                        .filter(method -> method != Method.NONE)
                        .map(Enum::name)
                        .collect(Collectors.joining(", "))
                + ", and behind ROW, BOTH or ADVISORY +pipelined, +admission or both");
    }

    @Override
    public String toString() {
        return method + (pipelined ? "+" + PIPELINED : "") + (admission ? "+" + ADMISSION : "");
    }
}
