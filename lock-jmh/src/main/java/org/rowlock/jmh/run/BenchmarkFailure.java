package org.rowlock.jmh.run;

import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.runner.BenchmarkException;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.tool.UserError;

/** The failure of a benchmark, with the message of the cause inside JMH's wrappers. */
final class BenchmarkFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean violation;

    private BenchmarkFailure(String message, Throwable cause, boolean violation) {
        super(message, cause);
        this.violation = violation;
    }

    /**
     * Whether a lock failed to exclude other transactions. Earlier measurements of the variant are then invalid too.
     */
    boolean isViolation() {
        return violation;
    }

    static BenchmarkFailure of(Throwable failure) {
        List<Throwable> all = all(failure).toList();
        Throwable told = all.stream()
                .filter(each -> each instanceof InvariantViolation || each instanceof UserError)
                .findFirst()
                .or(() -> all.stream()
                        .filter(each -> !(each instanceof RunnerException || each instanceof BenchmarkException))
                        .findFirst())
                .orElse(failure);
        String message = told.getMessage();
        return new BenchmarkFailure(
                message == null || message.isBlank() ? told.getClass().getName() : message.strip(),
                failure,
                told instanceof InvariantViolation);
    }

    private static Stream<Throwable> all(Throwable failure) {
        return Stream.concat(
                Stream.of(failure),
                Stream.concat(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()))
                        .flatMap(BenchmarkFailure::all));
    }
}
