package org.rowlock;

import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the work of a locked transaction has in hand. Belongs to the thread of the work, until the work returns.
 *
 * @param connection the transaction's connection. The work must not commit, roll back or close it; a rollback to a
 *     savepoint of its own is fine. Writes {@code atCommit} are refused if the work has ended the transaction, but not
 *     if it has begun another one since: Rowlock cannot distinguish the two
 * @param rows what the query that came with the lock returned, or the rows that were claimed; empty without either
 * @param absentRows the keys whose row was looked for and does not exist, see {@link LockResult#absentRows}; empty
 *     behind {@link LockRequest#requireRow} and a claim
 * @param atCommit the writes that are sent with the COMMIT, to add to: in one flush, so that the lock is held for a
 *     round trip less, and for one less for each of them. Reads of the work do not see them
 * @param <R> the value of a row of the query or claim that came with the lock; {@link Void} without one
 */
public record Locked<R>(Connection connection, List<R> rows, List<LockKey> absentRows, CommitWrites atCommit) {
    /**
     * What to do in a transaction under a lock.
     *
     * @param <R> the value of a row that came with the lock
     * @param <T> the result
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Work<R, T extends @Nullable Object, X extends Exception> {
        /**
         * Does the work.
         *
         * @param locked the connection, the rows that came with the lock, and the writes for the commit
         * @return the result; null from work that has none
         * @throws X what the caller is to see; the transaction is rolled back and nothing is written
         */
        T apply(Locked<R> locked) throws X;
    }
}
