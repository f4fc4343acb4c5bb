package org.rowlock.spring;

import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.TransactionLocks;
import org.rowlock.spring.internal.call.CommitListener;
import org.rowlock.spring.internal.call.LockedCall;
import org.rowlock.spring.internal.call.SpringTransaction;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Row locks in code, as an alternative to {@link RowLock}. The mode is always named: {@code forNoKeyUpdate} is the
 * default of the annotation. The methods lock in the running Spring transaction and fail without one.
 * {@link #inTransaction} begins a transaction, and {@link #execute} is one by itself. Errors are Spring's, see
 * {@link LockExceptionTranslator}. A wait is limited by what remains of the transaction's timeout. Thread-safe.
 */
public final class RowLockTemplate {
    private static final String WHAT = "RowLockTemplate";

    private final SpringLocks locks;
    private final TransactionTemplate transactions;
    private final DataSource dataSource;

    /**
     * Creates a template for one DataSource, with the default settings and without metrics.
     *
     * @param locks the locks of the application
     * @param transactions begins the transactions of {@link #inTransaction}; it must be the manager of the DataSource
     * @param dataSource the database in which to lock
     */
    public RowLockTemplate(RowLocks locks, PlatformTransactionManager transactions, DataSource dataSource) {
        this(new SpringLocks(locks, RowLockSettings.defaults(), ObservationRegistry.NOOP), transactions, dataSource);
    }

    /**
     * Creates a template for one of several DataSources, with the configuration of the application.
     *
     * @param locks the bean of that type
     * @param transactions begins the transactions of {@link #inTransaction}; it must be the manager of the DataSource
     * @param dataSource the database in which to lock
     */
    public RowLockTemplate(SpringLocks locks, PlatformTransactionManager transactions, DataSource dataSource) {
        this.locks = locks;
        this.transactions = new TransactionTemplate(transactions);
        this.dataSource = dataSource;
        CommitListener.listenTo(transactions);
    }

    /**
     * Locks all keys or none, in one round trip and one order. A request without a wait uses the configured one.
     *
     * @param request the keys and their modes
     * @return the outcome
     * @throws org.springframework.dao.CannotAcquireLockException if a lock is not available; the transaction stays
     *     usable
     * @throws org.springframework.dao.EmptyResultDataAccessException if a row does not exist and the request does not
     *     {@linkplain LockRequest#allowAbsent allow} that
     */
    public LockResult lock(LockRequest request) {
        return call(request, defaultWait()).lock(request);
    }

    /**
     * Locks all keys or none, if no other transaction holds one of them. It does not wait, unless the request has a
     * wait.
     *
     * @param request the keys and their modes
     * @return the outcome, which may be that another transaction holds a key
     */
    public LockResult tryLock(LockRequest request) {
        return call(request, LockWait.noWait())
                .take(
                        request,
                        "tryLock",
                        (connection, capped, entity) ->
                                locks.locks().in(connection).tryLock(capped));
    }

    /**
     * Locks all keys or none, and runs a query under the locks, in one round trip. A request without a wait uses the
     * configured one.
     *
     * @param request the keys and their modes
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper creates a value from each row
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return a value per row
     * @see TransactionLocks#lockAndRead(LockRequest, String, RowMapper, Object...)
     */
    public <R> List<R> lockAndRead(LockRequest request, String sql, RowMapper<R> mapper, @Nullable Object... binds) {
        return call(request, defaultWait())
                .take(
                        request,
                        sql,
                        (connection, capped, entity) ->
                                locks.locks().in(connection).lockAndRead(capped, sql, mapper, binds));
    }

    /**
     * Locks all keys or none, and runs a query for one value per row under the locks, in one round trip. A request
     * without a wait uses the configured one.
     *
     * @param request the keys and their modes
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param type the class of the value, which is read from the first column
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return a value per row
     * @see TransactionLocks#lockAndRead(LockRequest, String, Class, Object...)
     */
    public <R> List<R> lockAndRead(LockRequest request, String sql, Class<R> type, @Nullable Object... binds) {
        return call(request, defaultWait())
                .take(
                        request,
                        sql,
                        (connection, capped, entity) ->
                                locks.locks().in(connection).lockAndRead(capped, sql, type, binds));
    }

    /**
     * Returns the writes of the running transaction that are sent at its end, in one flush. They suit statements whose
     * results are not needed earlier: {@code template.atCommit().add("update ..", ..).expectOneRow()}. A
     * {@link RowLockTransactionManager} sends them with the COMMIT. With any other manager they are sent right before
     * it, in a round trip of their own. If one fails, or does not change as many rows as expected, nothing is stored,
     * and the exception of the transaction is Spring's.
     *
     * <p>Reads of the transaction do not see them. A rollback to a savepoint ({@code Propagation.NESTED}) removes those
     * added behind it. With JPA they are sent before the entities are flushed: use batches of Hibernate there instead.
     *
     * @return the writes, to add to; get them anew in each place, and do not send them
     * @throws org.springframework.dao.InvalidDataAccessApiUsageException if there is no transaction of the DataSource,
     *     or its manager is not known
     */
    public CommitWrites atCommit() {
        return SpringTransaction.current(WHAT, dataSource, locks.locks()).writes(WHAT);
    }

    /**
     * Takes up to a number of rows that no other transaction holds: {@code FOR UPDATE SKIP LOCKED}.
     *
     * @param claim the table, the predicate, the order and the limit
     * @param mapper creates a value from each row
     * @param <T> the value of a row
     * @return the claimed rows
     * @see TransactionLocks#claim(Claim, RowMapper)
     */
    public <T> List<T> claim(Claim claim, RowMapper<T> mapper) {
        return new LockedCall(locks, WHAT, dataSource, null).claim(claim, mapper);
    }

    /**
     * Proves that the running transaction holds a lock, in any mode, by {@link RowLock} or by a template. It is for
     * code that is right only under a lock, and cannot see which caller acquires it. It relies on what Rowlock has
     * locked and Spring has not rolled back to a savepoint, and takes no round trip. It does not know of claims, or of
     * locks in the application's own SQL.
     *
     * @param key the row, or other key
     * @throws org.springframework.dao.InvalidDataAccessApiUsageException if the transaction does not hold it, or there
     *     is none of the DataSource
     */
    public void requireLocked(LockKey key) {
        if (!SpringTransaction.current(WHAT, dataSource, locks.locks())
                .notHeld(Set.of(key), RowLockMode.FOR_KEY_SHARE)
                .isEmpty()) {
            throw new InvalidDataAccessApiUsageException("The running transaction has not locked "
                    + (key instanceof LockKey.Row row ? row.table() : "the key")
                    + " as this code needs it. Lock where the transaction begins: @RowLock on the method, or"
                    + " RowLockTemplate.lock(..).");
        }
    }

    /**
     * Queues for the keys in the JVM, begins a transaction, locks, works, and commits. Within a running transaction it
     * locks and works in that one, and does not queue.
     *
     * @param request the keys and their modes; its wait, by default the configured one, spans the queues and the server
     * @param work the work to do under the locks
     * @param <T> its result
     * @return the result of the work
     */
    public <T extends @Nullable Object> T inTransaction(LockRequest request, Supplier<T> work) {
        LockedCall call = call(request, defaultWait());
        return CommitListener.mayQueue() && locks.settings().admission()
                ? call.queued(request, null, () -> lockAndWork(call, request, work))
                : lockAndWork(call, request, work);
    }

    // The result of a TransactionTemplate is null exactly if that of the callback is.
    @SuppressWarnings("NullAway")
    private <T extends @Nullable Object> T lockAndWork(LockedCall call, LockRequest request, Supplier<T> work) {
        return transactions.execute(status -> {
            LockResult unused = call.lock(request);
            return work.get();
        });
    }

    /**
     * Locks, writes and commits in one round trip, without a transaction of Spring's. With
     * {@code rowlock.largest-group} above 1, calls that wait for one key share a transaction.
     *
     * @param request the keys and their modes; a request without a wait uses the configured one
     * @param writes the writes
     * @throws org.springframework.transaction.IllegalTransactionStateException if a transaction is running
     * @throws org.springframework.dao.DataAccessException if nothing is stored
     * @throws org.springframework.transaction.HeuristicCompletionException if the writes may be stored, or are stored
     *     and may still be lost
     * @see org.rowlock.LockOperation#execute(CommitWrites)
     */
    public void execute(LockRequest request, CommitWrites writes) {
        call(request, defaultWait()).execute(request, writes, transactions.getTransactionManager());
    }

    private LockWait defaultWait() {
        return locks.settings().defaultWait();
    }

    private LockedCall call(LockRequest request, LockWait otherwise) {
        if (request == null) {
            throw new IllegalArgumentException("The request is null; create one with LockRequest.forUpdate(key)");
        }
        return new LockedCall(locks, WHAT, dataSource, request.lockWait(otherwise));
    }
}
