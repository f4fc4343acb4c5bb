package org.rowlock;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Arguments;

/**
 * An operation on rows that are read under locks or claimed, in a separate transaction. No SQL runs before {@link
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

    /** The source of the rows, which runs the transaction. */
    interface Source<R extends @Nullable Object> {
        <T extends @Nullable Object, X extends Exception> T inTransaction(LockedTransaction.Work<R, T, X> work)
                throws X, SQLException;
    }

    /**
     * Runs work on the rows, in a separate transaction that holds the locks.
     *
     * @param work what to do under the locks; must not commit
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returns
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException as for {@link LockOperation#inTransaction}, like all others
     */
    public <T extends @Nullable Object, X extends Exception> T inTransaction(LockedTransaction.Work<R, T, X> work)
            throws X, SQLException {
        return source.inTransaction(work);
    }

    /**
     * Runs work that has no result, as {@link #inTransaction} does.
     *
     * @param work what to do under the locks; must not commit
     * @param <X> what the work throws
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException as for {@link LockOperation#inTransaction}, like all others
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
