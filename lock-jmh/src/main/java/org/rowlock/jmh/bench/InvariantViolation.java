package org.rowlock.jmh.bench;

/**
 * Reports that a lock did not exclude other transactions. The run then fails, because the speed of a faulty lock means
 * nothing.
 */
public final class InvariantViolation extends RuntimeException {
    private static final long serialVersionUID = 1;

    public InvariantViolation(String message) {
        super("Invariant violated: " + message);
    }
}
