package org.rowlock.jmh.bench;

/** A lock did not keep what it promises. A fast wrong lock is no result, so the run fails. */
public final class InvariantViolation extends RuntimeException {
    private static final long serialVersionUID = 1;

    public InvariantViolation(String message) {
        super("Invariant violated: " + message);
    }
}
