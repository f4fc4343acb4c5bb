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

/**
 * What a benchmark said, found in what JMH wraps around it.
 *
 * @param isViolation whether it has found its own locks wrong
 */
record BenchmarkFailure(String message, boolean isViolation) {
    static BenchmarkFailure of(Throwable failure) {
        Throwable first = null;
        Deque<Throwable> queue = new ArrayDeque<>();
        Set<Throwable> seen = new HashSet<>();
        queue.add(failure);
        while (!queue.isEmpty()) {
            Throwable next = queue.remove();
            if (seen.add(next)) {
                if (next instanceof InvariantViolation || next instanceof UserError) {
                    return new BenchmarkFailure(String.valueOf(next.getMessage()), next instanceof InvariantViolation);
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
        return new BenchmarkFailure(first == null ? String.valueOf(failure.getMessage()) : describe(first), false);
    }

    private static String describe(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getName() : message.strip();
    }
}
