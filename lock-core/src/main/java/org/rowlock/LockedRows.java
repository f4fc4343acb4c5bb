package org.rowlock;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Arguments;

/**
 * An operation on rows that are claimed or read under locks, in a separate transaction. No SQL runs before {@link
 * #inTransaction} or {@link #useTransaction} is called. Immutable and thread-safe if the values bound to its statements
 * are.
 *
 * @param <R> the value of a row
 * @see LockOperation#read(String, Class, Object...)
 * @see RowLocks#claim(Claim, RowMapper)
 */
public final class LockedRows<R extends @Nullable Object> {
    private final Source<R> source;

    LockedRows(Source<R> source) {
        this.source = source;
    }

    /** Runs a transaction that reads or claims the rows. */
    interface Source<R extends @Nullable Object> {
        <T extends @Nullable Object, X extends Exception> T inTransaction(LockedTransaction.Work<R, T, X> work)
                throws X, SQLException;
    }

    /**
     * Runs work on the rows, in a separate transaction that holds the locks.
     *
     * @param work the work to do under the locks; must not commit
     * @param <T> the type of the result
     * @param <X> the type of exception that the work may throw
     * @return the result of the work
     * @throws X the exception of the work. Nothing is stored
     * @throws SQLException as for {@link LockOperation#inTransaction}, which also lists the other exceptions
     */
    public <T extends @Nullable Object, X extends Exception> T inTransaction(LockedTransaction.Work<R, T, X> work)
            throws X, SQLException {
        return source.inTransaction(work);
    }

    /**
     * Runs work that has no result, in the same way as {@link #inTransaction}.
     *
     * @param work the work to do under the locks; must not commit
     * @param <X> the type of exception that the work may throw
     * @throws X the exception of the work. Nothing is stored
     * @throws SQLException as for {@link LockOperation#inTransaction}, which also lists the other exceptions
     */
    public <X extends Exception> void useTransaction(LockedTransaction.VoidWork<R, X> work) throws X, SQLException {
        inTransaction(withoutResult(work));
    }

    static <R extends @Nullable Object, X extends Exception> LockedTransaction.Work<R, @Nullable Void, X> withoutResult(
            LockedTransaction.VoidWork<R, X> work) {
        Arguments.notNull(work, "The work is null");
        return tx -> {
            work.accept(tx);
            return null;
        };
    }
}
