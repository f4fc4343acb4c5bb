package org.rowlock.jmh.run;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.openjdk.jmh.runner.BenchmarkException;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.bench.InvariantViolation;

/** Finds what a benchmark said in what JMH wraps around it. */
final class FailureMessage {
    private FailureMessage() {}

    static String of(Throwable failure) {
        Throwable first = null;
        Deque<Throwable> queue = new ArrayDeque<>();
        Set<Throwable> seen = new HashSet<>();
        queue.add(failure);
        while (!queue.isEmpty()) {
            Throwable next = queue.remove();
            if (seen.add(next)) {
                if (next instanceof InvariantViolation || next instanceof UserError) {
                    return String.valueOf(next.getMessage());
                }
                if (first == null && !(next instanceof RunnerException) && !(next instanceof BenchmarkException)) {
                    first = next;
                }
                if (next.getCause() != null) {
                    queue.add(next.getCause());
                }
                queue.addAll(List.of(next.getSuppressed()));
            }
        }
        return first == null ? String.valueOf(failure.getMessage()) : describe(first);
    }

    private static String describe(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getName() : message.strip();
    }
}
