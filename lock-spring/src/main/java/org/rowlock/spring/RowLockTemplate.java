package org.rowlock.spring;

import java.sql.Connection;
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
import org.rowlock.RowLockMode;
import org.rowlock.RowMapper;
import org.rowlock.TransactionLocks;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.internal.annotation.LockWaits;
import org.rowlock.spring.internal.call.CommitListener;
import org.rowlock.spring.internal.call.LockedCall;
import org.rowlock.spring.internal.call.SpringTransaction;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Row locks in code, as an alternative to {@link RowLock}. A request always names its mode; {@code forNoKeyUpdate} is
 * the mode that the annotation uses by default. Most methods lock in the running Spring transaction and fail without
 * one. {@link #inTransaction} begins a transaction if none is running, and {@link #execute} runs in a separate
 * transaction. The methods throw Spring's exceptions; see {@link LockExceptionTranslator}. A wait never exceeds the
 * rest of the transaction's timeout. Thread-safe.
 */
public final class RowLockTemplate {
    private static final String WHAT = "RowLockTemplate";

    private final SpringLocks locks;
    private final TransactionTemplate transactions;
    private final DataSource dataSource;

    /**
     * Creates a template for one of several DataSources.
     *
     * @param locks the application's bean of the type {@code SpringLocks}
     * @param transactions the DataSource's manager, which begins the transactions of {@link #inTransaction}
     * @param dataSource the database in which to lock
     */
    public RowLockTemplate(SpringLocks locks, PlatformTransactionManager transactions, DataSource dataSource) {
        this.locks = locks;
        this.transactions = new TransactionTemplate(transactions);
        this.dataSource = dataSource;
        CommitListener.listenTo(transactions);
    }

    /**
     * Locks all keys, in one round trip and in a fixed order. If the request specifies no wait, the configured wait
     * applies.
     *
     * @param request the keys and their modes
     * @return the outcome
     * @throws org.springframework.dao.CannotAcquireLockException if a lock is not available; the transaction stays
     *     usable
     * @throws org.springframework.dao.EmptyResultDataAccessException if a row does not exist and the request does not
     *     {@linkplain LockRequest#allowAbsent allow} absent rows
     */
    public LockResult lock(LockRequest request) {
        return call(request, defaultWait()).lock(RequestParts.of(request), Set::of);
    }

    /**
     * Locks all keys, or none of the keys if another transaction holds one of them. This method does not wait, unless
     * the request specifies a wait.
     *
     * @param request the keys and their modes
     * @return the outcome, which may be that another transaction holds a key
     */
    public LockResult tryLock(LockRequest request) {
        return take(request, LockWait.NO_WAIT, "tryLock", (own, capped, any) -> on(own).tryLock(capped));
    }

    /**
     * Locks all keys, and runs a query under the locks, in one round trip. If the request specifies no wait, the
     * configured wait applies.
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
        return take(request, defaultWait(), sql, (own, capped, any) -> on(own).lockAndRead(capped, sql, mapper, binds));
    }

    /**
     * Locks all keys, and reads the first column of a query under the locks, in one round trip. If the request
     * specifies no wait, the configured wait applies.
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
        return take(request, defaultWait(), sql, (own, capped, any) -> on(own).lockAndRead(capped, sql, type, binds));
    }

    /**
     * Returns the writes that the running transaction sends at its end, in one flush. Add statements whose results are
     * not needed earlier: {@code template.atCommit().add("update ..", ..).expectOneRow()}. A {@link
     * RowLockTransactionManager} sends the writes with the COMMIT. With any other manager, the writes are sent
     * immediately before the COMMIT, in a separate round trip. If a write fails, or does not change as many rows as
     * expected, nothing is stored, and the commit throws Spring's exception.
     *
     * <p>Reads of the transaction do not see these writes. A rollback to a savepoint ({@code Propagation.NESTED})
     * removes the writes that were added after the savepoint. With JPA the writes are sent before Hibernate flushes the
     * entities, so use Hibernate's batches there instead.
     *
     * @return the writes, to which the caller can add. Do not store this object: after a savepoint, this method returns
     *     another object. Do not pass it to {@link #execute}, because the commit sends it
     * @throws org.springframework.dao.InvalidDataAccessApiUsageException if there is no transaction of the DataSource,
     *     or Rowlock does not know the manager of the transaction
     */
    public CommitWrites atCommit() {
        return SpringTransaction.current(WHAT, dataSource, locks.locks()).writes(WHAT);
    }

    /**
     * Claims rows that no other transaction holds, up to a limit, as {@code FOR UPDATE SKIP LOCKED} does.
     *
     * @param claim the table, the predicate, the order and the limit
     * @param mapper creates a value from each row
     * @param <T> the value of a row
     * @return the claimed rows
     * @see TransactionLocks#claim(Claim, RowMapper)
     */
    public <T> List<T> claim(Claim claim, RowMapper<T> mapper) {
        return new LockedCall(locks, WHAT, dataSource, null).claim(ClaimParts.of(claim), mapper);
    }

    /**
     * Checks that the running transaction holds a lock on the key in any mode, and throws an exception otherwise. Use
     * this method in tests, and in code whose callers must acquire the lock. The check takes no round trip. The check
     * finds the locks of {@link RowLock} and of templates, unless a rollback to a savepoint has released these locks.
     * The check finds a claimed row only if a Hibernate session is open and Hibernate maps the table with an id of one
     * column. The check does not find locks that the application's own SQL acquires.
     *
     * @param key the row, or other key
     * @throws org.springframework.dao.InvalidDataAccessApiUsageException if the transaction does not hold the lock, or
     *     no transaction of the DataSource is running
     */
    public void requireLocked(LockKey key) {
        if (!SpringTransaction.current(WHAT, dataSource, locks.locks())
                .notHeld(Set.of(key), RowLockMode.FOR_KEY_SHARE)
                .isEmpty()) {
            throw new InvalidDataAccessApiUsageException("The running transaction has not locked " + key
                    + ", although this code requires the lock. Lock where the transaction begins: @RowLock on the"
                    + " method, or RowLockTemplate.lock(..).");
        }
    }

    /**
     * Queues for the keys in the JVM, begins a transaction, locks, runs the work, and commits. If a transaction is
     * already running, this method locks and runs the work in that transaction, without queueing.
     *
     * @param request the keys and their modes. The wait covers the queue and the server; by default it is the
     *     configured wait
     * @param work the work to do under the locks
     * @param <T> the result of the work
     * @return the result of the work
     */
    public <T extends @Nullable Object> T inTransaction(LockRequest request, Supplier<T> work) {
        LockedCall call = call(request, defaultWait());
        return CommitListener.mayQueue() && locks.settings().admission()
                ? call.queued(
                        RequestParts.of(request),
                        transactions,
                        transactions.getTransactionManager(),
                        () -> lockAndWork(call, request, work))
                : lockAndWork(call, request, work);
    }

    // TransactionTemplate.execute() returns null only if its callback returns null.
    @SuppressWarnings("NullAway")
    private <T extends @Nullable Object> T lockAndWork(LockedCall call, LockRequest request, Supplier<T> work) {
        return transactions.execute(status -> {
            LockResult unused = call.lock(RequestParts.of(request), Set::of);
            return work.get();
        });
    }

    /**
     * Locks, writes and commits in one round trip, outside of Spring's transactions. With {@code rowlock.largest-group}
     * above 1, calls that wait for one key may share a transaction.
     *
     * @param request the keys and their modes; if the request specifies no wait, the configured wait applies
     * @param writes the writes
     * @throws org.springframework.transaction.IllegalTransactionStateException if a transaction is running
     * @throws org.springframework.dao.DataAccessException if a lock or a write fails; nothing is stored
     * @throws org.springframework.transaction.HeuristicCompletionException if it is unknown whether the writes are
     *     stored, or if the writes are stored but are possibly not durable
     * @see org.rowlock.LockOperation#execute(CommitWrites)
     */
    public void execute(LockRequest request, CommitWrites writes) {
        call(request, defaultWait()).execute(RequestParts.of(request), writes, transactions.getTransactionManager());
    }

    private <T> T take(LockRequest request, LockWait otherwise, String sql, LockedCall.Taking<T> call) {
        return call(request, otherwise).take(RequestParts.of(request), sql, Set::of, call);
    }

    private TransactionLocks on(Connection own) {
        return locks.locks().in(own);
    }

    private LockWait defaultWait() {
        return LockWaits.of(locks.settings().defaultWait());
    }

    private LockedCall call(LockRequest request, LockWait otherwise) {
        if (request == null) {
            throw new IllegalArgumentException("The request is null; create one with LockRequest.forUpdate(key)");
        }
        return new LockedCall(locks, WHAT, dataSource, RequestParts.of(request).lockWait(otherwise));
    }
}
