package org.rowlock;

/** A {@linkplain RowLocks#verifyEvery verification that is repeated} until it is closed. Thread-safe. */
@FunctionalInterface
public interface RepeatedVerification extends AutoCloseable {
    /** Ends it. A look that is under way is interrupted. Closing it again does nothing. */
    @Override
    void close();
}
