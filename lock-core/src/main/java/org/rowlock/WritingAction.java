package org.rowlock;

/**
 * What to do in a transaction under a lock, with writes that are sent with its commit, and without a result.
 *
 * @param <I> what it is given: the connection, or the rows of a query that came with the lock
 * @param <X> what it throws
 */
@FunctionalInterface
public interface WritingAction<I, X extends Exception> {
    /**
     * Does the work. Must not commit, roll back or close the connection; a rollback to one's own savepoint is fine.
     *
     * @param input the transaction's connection, or the rows of the query
     * @param atCommit to add writes to
     * @throws X what the caller is to see; the transaction is rolled back and nothing is written
     */
    void accept(I input, CommitWrites atCommit) throws X;
}
