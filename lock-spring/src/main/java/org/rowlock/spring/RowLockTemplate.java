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
import org.rowlock.LockedQuery;
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
 * Row locks in code, for those who prefer it to {@link RowLock}. The mode is always named: {@code forNoKeyUpdate} is
 * the default of the annotation. The methods lock in the running Spring transaction and fail without one;
 * {@link #inTransaction} begins it, and {@link #execute} is one by itself. Errors are Spring's, see
 * {@link LockExceptionTranslator}; a wait is capped by what remains of the transaction's timeout. Thread-safe.
 */
public final class RowLockTemplate {
    private static final String WHAT = "RowLockTemplate";

    private final SpringLocks locks;
    private final TransactionTemplate transactions;
    private final DataSource dataSource;

    /**
     * A template for one DataSource, with the default settings and without metrics.
     *
     * @param locks the application's
     * @param transactions begins the transactions of {@link #inTransaction}; that of the DataSource
     * @param dataSource where to lock
     */
    public RowLockTemplate(RowLocks locks, PlatformTransactionManager transactions, DataSource dataSource) {
        this(new SpringLocks(locks, RowLockSettings.defaults(), ObservationRegistry.NOOP), transactions, dataSource);
    }

    /**
     * A template for one of several DataSources, with what the application configured.
     *
     * @param locks the bean of that type
     * @param transactions begins the transactions of {@link #inTransaction}; that of the DataSource
     * @param dataSource where to lock
     */
    public RowLockTemplate(SpringLocks locks, PlatformTransactionManager transactions, DataSource dataSource) {
        this.locks = locks;
        this.transactions = new TransactionTemplate(transactions);
        this.dataSource = dataSource;
        CommitListener.listenTo(transactions);
    }

    /**
     * Locks, all or none, in one round trip and one order. A request without a wait waits as configured.
     *
     * @param request what to lock, and how strongly
     * @return what is held now
     * @throws org.springframework.dao.CannotAcquireLockException if it is not available; the transaction stays usable
     */
    public LockResult lock(LockRequest request) {
        return call(request, defaultWait()).lock(request);
    }

    /**
     * Locks, all or none, if no other transaction holds one of the keys. Does not wait, unless the request has a wait.
     *
     * @param request what to lock, and how strongly
     * @return what is held now, or that a key is taken
     */
    public LockResult tryLock(LockRequest request) {
        return call(request, LockWait.noWait()).take(request, "tryLock", (tx, capped, entity) -> tx.tryLock(capped));
    }

    /**
     * Locks, all or none, and runs a query behind the locks, in one round trip. A request without a wait waits as
     * configured.
     *
     * @param request what to lock, and how strongly
     * @param query runs behind the locks
     * @param <R> the value of a row
     * @return a value per row
     * @see TransactionLocks#lockAndQuery(LockRequest, LockedQuery)
     */
    public <R> List<R> lockAndQuery(LockRequest request, LockedQuery<R> query) {
        return call(request, defaultWait())
                .take(request, query.toString(), (tx, capped, entity) -> tx.lockAndQuery(capped, query));
    }

    /**
     * The writes of the running transaction that are sent at its end, in one flush, for statements whose results nobody
     * needs before: {@code template.atCommit().add("update ..", ..).expectOneRow()}. With a
     * {@link RowLockTransactionManager} they go with the COMMIT; with any other right before it, in a round trip of
     * their own. Where one fails, or does not change as many rows as expected, nothing is stored, and the exception of
     * the transaction is Spring's.
     *
     * <p>Reads of the transaction do not see them. Those added behind a savepoint ({@code Propagation.NESTED}) go when
     * it is rolled back. With JPA they are sent before the entities are flushed: use batches of Hibernate there
     * instead.
     *
     * @return the writes, to add to; take them anew in each place, and do not send them
     * @throws org.springframework.dao.InvalidDataAccessApiUsageException if there is no transaction of the DataSource,
     *     or its manager is not known
     */
    public CommitWrites atCommit() {
        return SpringTransaction.current(WHAT, dataSource, locks.locks()).writes(WHAT);
    }

    /**
     * Takes up to a number of rows that nobody else holds: {@code FOR UPDATE SKIP LOCKED}.
     *
     * @param claim the table, the predicate, the order and the limit
     * @param mapper makes a value of each row
     * @param <T> the value of a row
     * @return the claimed rows
     * @see TransactionLocks#claim(Claim, RowMapper)
     */
    public <T> List<T> claim(Claim claim, RowMapper<T> mapper) {
        return new LockedCall(locks, WHAT, dataSource, null).claim(claim, mapper);
    }

    /**
     * Proves that the running transaction holds a lock: of {@link RowLock}, of a template, in whatever mode. For code
     * that is right under a lock alone, and cannot see which caller takes it. It goes by what Rowlock has locked and
     * Spring has not rolled back to a savepoint, and takes no round trip; locks of SQL of the application's own, and
     * claims, it does not know.
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
     * Queues for the keys in the JVM, begins a transaction, locks, works, commits. Within a running transaction it
     * locks and works in that one, and does not queue.
     *
     * @param request what to lock, and how strongly; its wait, by default as configured, spans the queues and the
     *     server
     * @param work what to do under the locks
     * @param <T> its result
     * @return what the work returns
     */
    public <T extends @Nullable Object> T inTransaction(LockRequest request, Supplier<T> work) {
        LockedCall call = call(request, defaultWait());
        return CommitListener.mayQueue() && locks.settings().admission()
                ? call.queued(request, null, () -> lockAndWork(call, request, work))
                : lockAndWork(call, request, work);
    }

    // A TransactionTemplate's result is null exactly if the callback's is.
    @SuppressWarnings("NullAway")
    private <T extends @Nullable Object> T lockAndWork(LockedCall call, LockRequest request, Supplier<T> work) {
        return transactions.execute(status -> {
            LockResult unused = call.lock(request);
            return work.get();
        });
    }

    /**
     * Locks, writes and commits in one round trip, without a transaction of Spring's. With {@code
     * rowlock.largest-group} above 1 the calls that wait for one key share a transaction.
     *
     * @param request what to lock, and how strongly; a request without a wait waits as configured
     * @param writes what to write
     * @throws org.springframework.transaction.IllegalTransactionStateException if a transaction is running
     * @throws org.springframework.dao.DataAccessException if nothing is stored
     * @throws org.springframework.transaction.HeuristicCompletionException if it may be stored, or is and may still be
     *     lost
     * @see RowLocks#execute(DataSource, LockRequest, CommitWrites)
     */
    public void execute(LockRequest request, CommitWrites writes) {
        call(request, defaultWait()).execute(request, writes, transactions.getTransactionManager());
    }

    private LockWait defaultWait() {
        return locks.settings().defaultWait();
    }

    private LockedCall call(LockRequest request, LockWait otherwise) {
        if (request == null) {
            throw new IllegalArgumentException("The request is null; make one with LockRequest.forUpdate(key)");
        }
        return new LockedCall(locks, WHAT, dataSource, request.lockWait(otherwise));
    }
}
