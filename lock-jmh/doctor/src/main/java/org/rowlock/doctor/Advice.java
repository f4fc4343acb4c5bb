package org.rowlock.doctor;

import java.util.List;

/**
 * Something to do.
 *
 * @param subject a table, or what else it is about
 * @param action what to do
 * @param reason why, with the figures behind it
 * @param scenarios of the benchmarks that show what it changes; empty where it is no matter of locks
 */
public record Advice(String subject, String action, String reason, List<String> scenarios) {
    Advice(String subject, String action, String reason) {
        this(subject, action, reason, List.of());
    }

    /** The same, to be tried out with scenarios. */
    Advice shownBy(String... names) {
        return new Advice(subject, action, reason, List.of(names));
    }
}
