package org.rowlock.internal.access;

import java.lang.invoke.MethodHandles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.request.RowStatement;

/**
 * The access for Rowlock's other modules, in addition to the public methods. Thread-safe, except for the connections.
 */
public interface LockAccess {
    /** {@return the access to row locks} */
    static LockAccess of(RowLocks locks) {
        return Opener.opened().access.apply(locks);
    }

    /**
     * {@return a builder of row locks for several DataSources, or for a DataSource that is found later}
     *
     * @param dataSource returns the DataSource of {@link RowLocks#lock}, {@link RowLocks#claim} and {@link
     *     RowLocks#verify}; its exceptions are thrown to the callers of these methods
     */
    static RowLocksBuilder builder(Supplier<DataSource> dataSource) {
        return Opener.opened().builder.apply(dataSource);
    }

    /** {@return a builder of row locks that have no DataSource, and lock only in the transactions of callers} */
    static RowLocksBuilder builder() {
        return builder(() -> {
            throw new IllegalStateException("These row locks have no DataSource; make others with RowLocks.of(..)");
        });
    }

    /** {@return the same row locks, with the same queues, for another DataSource} */
    RowLocks on(DataSource dataSource);

    /**
     * Verifies that locks exclude, as {@link RowLocks#verify} does, on as many connections at a time as a pool can
     * spare. For the first two connections, this method waits as long as the pool allows. If a further connection does
     * not arrive soon, the check continues with the connections that were borrowed.
     *
     * @param connections how many to borrow at a time, at least 2; more than sixteen are treated as sixteen
     */
    void verify(DataSource dataSource, int connections);

    /** {@return the admission queues, for code that begins transactions by itself} */
    AdmissionQueues admission();

    /** {@return the strategy of a key's table; {@link LockStrategy#ADVISORY} for a key without a row} */
    LockStrategy strategyOf(LockKey key);

    /** {@return when commits release their locks} */
    LockRelease release();

    /** {@return the names of the tables for which something is configured, in normalized spelling} */
    Set<String> configuredTables();

    /** {@return the id columns that are configured for a table, named as in the keys; empty for the primary key} */
    List<String> configuredIdColumns(String table);

    /**
     * Checks in the catalog whether rows of a table can be locked, so that an application can refuse to start. Locks
     * nothing.
     *
     * @param connection any connection to the database; not closed
     * @param table the table, named as in the keys
     * @return the id columns, configured or those of the primary key; none if strategy ADVISORY needs none
     * @throws LockTargetException if the strategy needs id columns and there are none; also if it needs keys, and the
     *     text of an id may depend on settings of the session
     * @throws SQLException if the catalog cannot be read, or the table does not exist
     */
    List<String> checkTable(Connection connection, String table) throws SQLException;

    /**
     * Refuses an id that no row of its table can have. The number of its parts is wrong, or a column cannot hold its
     * value. Locks with {@link LockStrategy#ROW} and {@link LockStrategy#BOTH} refuse such ids, but {@link
     * LockStrategy#ADVISORY} does not. Locks nothing, and needs no transaction.
     *
     * @throws LockTargetException if the table has an id, and this one cannot be such an id
     * @throws SQLException if the catalog cannot be read, or the table does not exist
     */
    void checkId(Connection connection, LockKey.Row row) throws SQLException;

    /**
     * Locks in the transaction of a connection. The given statement of another library is used if it has the same
     * effect as Rowlock's own statement. This is the case for one row with {@link LockStrategy#ROW}, an id of one
     * column, and an unlimited wait. No front lock is then acquired. In all other cases the statement is not called.
     *
     * @param statement locks the row of the request; null if Rowlock's own statement must be used
     * @return the held locks; a key that another transaction holds causes an exception
     */
    LockResult lock(Connection connection, LockRequest request, @Nullable RowStatement statement);

    /** {@return the writes of all parts of a transaction, in the order of the parts} */
    CommitWrites joined(List<CommitWrites> parts);

    /**
     * Sends writes now, in one flush, for transactions that a framework commits. The counts and rows of the writes are
     * available when this method returns.
     *
     * @param writes what to do; if empty, this only checks whether the transaction is aborted, without a round trip
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected; the caller
     *     must then roll back
     * @throws LockTransactionException if the connection has no transaction, or one that an error has aborted
     * @throws SQLException if a write fails; the transaction is aborted
     */
    void send(Connection connection, CommitWrites writes) throws SQLException;

    /** The class through which {@link RowLocks} opens this access. */
    final class Opener {
        private static volatile @Nullable Opener opened;

        private final Function<RowLocks, LockAccess> access;
        private final Function<Supplier<DataSource>, RowLocksBuilder> builder;

        private Opener(Function<RowLocks, LockAccess> access, Function<Supplier<DataSource>, RowLocksBuilder> builder) {
            this.access = access;
            this.builder = builder;
        }

        /** Opens the access. {@link RowLocks} calls it when the class is initialized. */
        public static void open(
                Function<RowLocks, LockAccess> access, Function<Supplier<DataSource>, RowLocksBuilder> builder) {
            opened = new Opener(access, builder);
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
