package org.rowlock;

import java.sql.Connection;

/**
 * What to do in a transaction under a lock, without a result.
 *
 * @param <X> what it throws
 */
@FunctionalInterface
public interface TransactionAction<X extends Exception> {
    /**
     * Does the work. Must not commit, roll back or close the connection; a rollback to one's own savepoint is fine.
     *
     * @param connection the transaction's connection
     * @throws X what the caller is to see; the transaction is rolled back
     */
    void accept(Connection connection) throws X;
}
