package org.rowlock.jmh.bench;

/** A violation of what a lock promises. A fast lock that does not exclude is no result, so the run fails. */
public final class InvariantViolation extends RuntimeException {
    private static final long serialVersionUID = 1;

    public InvariantViolation(String message) {
        super("Invariant violated: " + message);
    }
}
