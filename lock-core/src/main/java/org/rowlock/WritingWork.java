package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * What to do in a transaction under a lock, with writes that are sent with its commit.
 *
 * @param <I> what it is given: the connection, or the rows of a query that came with the lock
 * @param <T> the result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface WritingWork<I, T extends @Nullable Object, X extends Exception> {
    /**
     * Does the work. Must not commit, roll back or close the connection; a rollback to one's own savepoint is fine.
     * The lock ends with the transaction. Writes are refused if it has ended, but not if the work has begun another one since:
     * Rowlock cannot distinguish the two.
     *
     * @param input the transaction's connection, or the rows of the query
     * @param atCommit to add writes to
     * @return the result
     * @throws X what the caller is to see; the transaction is rolled back and nothing is written
     */
    T apply(I input, CommitWrites atCommit) throws X;
}
