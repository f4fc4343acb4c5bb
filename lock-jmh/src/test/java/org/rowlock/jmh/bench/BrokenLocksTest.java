package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.jmh.testing.JmhRuns;

/**
 * Checks that every workload fails if its lock is missing or excludes nothing. The speed of such a lock is not a
 * result.
 */
@Tag("long")
class BrokenLocksTest {
    private static final String TWO_INSIDE = "Two transactions were inside the lock of key";
    private static final String GOT_IN = "a second transaction got the lock while the first held it";

    static Stream<Arguments> broken() {
        return Stream.of(
                of(Zipfian.class, TWO_INSIDE, "NONE", "clients", "16", "zipf", "3"),
                of(Vacuum.class, TWO_INSIDE, "NONE", "clients", "16", "zipf", "3"),
                // Each process has one client, so two clients inside a lock are in two processes.
                of(Instances.class, TWO_INSIDE, "NONE", "clients", "4", "jvms", "4", "rows", "1"),
                of(Zipfian.class, GOT_IN, "NONE", "clients", "1"),
                of(Bystander.class, TWO_INSIDE, "NONE", "clients", "1", "lockers", "16", "rate", "0", "zipf", "3"),
                of(Bystander.class, TWO_INSIDE, "NONE", "lockers", "16", "rate", "0", "rows", "1", "reading", "true"),
                of(ManyKeys.class, GOT_IN, "NONE", "clients", "2", "keys", "10", "shared", "true"),
                of(ManyKeys.class, TWO_INSIDE, "NONE", "clients", "8", "keys", "1000", "overlapping", "true"),
                of(WriteMixed.class, "", "NONE", "clients", "16", "rows", "20"),
                of(Queue.class, "jobs that ran more than once: ", "NONE", "clients", "16"));
    }

    private static Arguments of(Class<?> benchmark, String said, String strategy, String... params) {
        String[] all = Stream.concat(Stream.of("strategy", strategy), Stream.of(params))
                .toArray(String[]::new);
        return Arguments.of(benchmark, said, all);
    }

    @ParameterizedTest
    @MethodSource("broken")
    void failTheRun(Class<?> benchmark, String said, String[] params) {
        assertThat(JmhRuns.failure(benchmark, params))
                .anyMatch(message -> message.startsWith("Invariant violated: " + said));
    }
}
