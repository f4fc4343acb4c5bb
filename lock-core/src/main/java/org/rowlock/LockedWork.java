package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * What to do in a transaction under a lock.
 *
 * @param <R> the value of a row that came with the lock
 * @param <T> the result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LockedWork<R, T extends @Nullable Object, X extends Exception> {
    /**
     * Does the work.
     *
     * @param locked the connection, the rows that came with the lock, and the writes for the commit
     * @return the result; null from work that has none
     * @throws X what the caller is to see; the transaction is rolled back and nothing is written
     */
    T apply(Locked<R> locked) throws X;
}
