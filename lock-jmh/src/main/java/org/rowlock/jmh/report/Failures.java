package org.rowlock.jmh.report;

import java.util.List;
import org.rowlock.jmh.run.RunResults;

/** What did not finish. */
record Failures(List<Failure> all) {
    private static final String VIOLATION = "Invariant violated";

    /**
     * One of them.
     *
     * @param name the scenario, and the variant if it was one alone
     * @param message what it said
     */
    record Failure(String name, String message) {
        /** Whether a lock did not hold, which is worse than a benchmark that did not run. */
        boolean isViolation() {
            return message.contains(VIOLATION);
        }
    }

    static Failures of(RunResults results) {
        return new Failures(results.failures().entrySet().stream()
                .map(failure -> new Failure(failure.getKey(), failure.getValue()))
                .toList());
    }

    boolean hasViolation() {
        return all.stream().anyMatch(Failure::isViolation);
    }

    List<String> names() {
        return all.stream().map(Failure::name).toList();
    }
}
