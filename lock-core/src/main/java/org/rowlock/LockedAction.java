package org.rowlock;

/**
 * What to do in a transaction under a lock, without a result.
 *
 * @param <R> the value of a row that came with the lock
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LockedAction<R, X extends Exception> {
    /**
     * Does the work.
     *
     * @param locked the connection, the rows that came with the lock, and the writes for the commit
     * @throws X what the caller is to see; the transaction is rolled back and nothing is written
     */
    void accept(Locked<R> locked) throws X;
}
