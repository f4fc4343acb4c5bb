package org.rowlock;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What to do in a transaction under a lock.
 *
 * @param <T> the result
 * @param <X> what it throws
 */
@FunctionalInterface
public interface TransactionWork<T extends @Nullable Object, X extends Exception> {
    /**
     * Does the work. Must not commit, roll back or close the connection; a rollback to one's own savepoint is fine.
     *
     * @param connection the transaction's connection
     * @return the result
     * @throws X what the caller is to see; the transaction is rolled back
     */
    T apply(Connection connection) throws X;
}
