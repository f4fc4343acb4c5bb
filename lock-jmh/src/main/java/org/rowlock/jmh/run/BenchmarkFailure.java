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

/** What a benchmark said, found in what JMH wraps around it. */
final class BenchmarkFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean violation;

    private BenchmarkFailure(String message, Throwable cause, boolean violation) {
        super(message, cause);
        this.violation = violation;
    }

    /** Whether the locks are wrong, so that what the variant measured before is no result either. */
    boolean isViolation() {
        return violation;
    }

    static BenchmarkFailure of(Throwable failure) {
        Throwable first = null;
        Deque<Throwable> queue = new ArrayDeque<>();
        Set<Throwable> seen = new HashSet<>();
        queue.add(failure);
        while (!queue.isEmpty()) {
            Throwable next = queue.remove();
            if (seen.add(next)) {
                if (next instanceof InvariantViolation || next instanceof UserError) {
                    return new BenchmarkFailure(
                            String.valueOf(next.getMessage()), failure, next instanceof InvariantViolation);
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
        return new BenchmarkFailure(
                first == null ? String.valueOf(failure.getMessage()) : describe(first), failure, false);
    }

    private static String describe(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getName() : message.strip();
    }
}
