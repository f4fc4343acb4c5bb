package org.rowlock.internal.access;

import java.lang.invoke.MethodHandles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.request.RowStatement;

/**
 * Methods of {@link RowLocks} for Rowlock's other modules, in addition to the public methods. Thread-safe, except for
 * methods that use one connection.
 */
public interface LockAccess {
    static LockAccess of(RowLocks locks) {
        return Opener.opened().access.apply(locks);
    }

    /**
     * {@return a builder of {@link RowLocks} for several DataSources, or for a DataSource that is found later}
     *
     * @param dataSource supplies the DataSource for {@link RowLocks#lock}, {@link RowLocks#claim} and {@link
     *     RowLocks#verify}; callers of these methods get the supplier's exceptions
     */
    static RowLocksBuilder builder(Supplier<DataSource> dataSource) {
        return Opener.opened().builder.apply(dataSource);
    }

    /**
     * {@return a builder of a {@link RowLocks} object that has no DataSource, and locks only in callers' transactions}
     */
    static RowLocksBuilder builder() {
        return builder(() -> {
            throw new IllegalStateException(
                    "These row locks have no DataSource; make row locks with RowLocks.of(dataSource)");
        });
    }

    /**
     * {@return an object with the same configuration for another DataSource} The keys of each DataSource have separate
     * admission queues.
     */
    RowLocks on(DataSource dataSource);

    /**
     * Checks locks in the same way as {@link RowLocks#verify}, on a given number of connections. If the pool does not
     * lend a third or later connection soon, the check continues with the connections that were borrowed.
     *
     * @param connections the number of connections to borrow at the same time, at least 2; more than 16 are treated as
     *     16
     */
    void verify(DataSource dataSource, int connections);

    /** {@return the queues and the other objects that all calls share} */
    LockCalls calls();

    /** {@return the configured tables, and what the catalog says about them} */
    default KnownTables tables() {
        return calls().tables();
    }

    /** {@return when commits release their locks} */
    default LockRelease release() {
        return calls().early() == null ? LockRelease.PLAIN : LockRelease.EARLY;
    }

    /**
     * Locks in the transaction of a connection. A given statement of another library replaces the statement of Rowlock
     * if both statements have the same effect. The given statement is used only if the request is for one row with
     * {@link LockStrategy#ROW}, an unlimited wait and no INSERT. In addition, the id must be the primary key and have
     * one column. The given statement is not used on Citus, or if {@link RowLocksBuilder.LockFront#ALWAYS} requires a
     * front lock.
     *
     * @param statement locks the row of the request; null if Rowlock's own statement must be used
     * @return the outcome; if a lock is not available in time, an exception is thrown
     */
    LockResult lock(Connection connection, LockRequest request, @Nullable RowStatement statement);

    /** {@return one object that contains the writes of all given objects, in the given order} */
    CommitWrites joined(List<CommitWrites> parts);

    /**
     * Sends writes now, for transactions that a framework commits. The counts and rows of the writes are available when
     * this method returns.
     *
     * @param writes the writes; if there are none, this method only checks whether the transaction is aborted, without
     *     a round trip
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected; the caller must then
     *     roll back
     * @throws LockTransactionException if the connection is not in a transaction, or if an error has aborted the
     *     transaction
     * @throws SQLException if a write fails; the transaction is aborted
     */
    void send(Connection connection, CommitWrites writes) throws SQLException;

    /**
     * Gives access to package-private constructors. The static initializer of {@link RowLocks} creates the only
     * instance.
     */
    record Opener(Function<RowLocks, LockAccess> access, Function<Supplier<DataSource>, RowLocksBuilder> builder) {
        private static volatile @Nullable Opener opened;

        public static void open(Opener opener) {
            opened = opener;
        }

        private static Opener opened() {
            if (opened == null) {
                try {
                    MethodHandles.lookup().ensureInitialized(RowLocks.class);
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
            return Objects.requireNonNull(opened);
        }
    }
}
