package org.rowlock.spring;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockAllResult;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.TransactionLocks;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Row locks in code, for those who prefer it to {@link RowLock}, whose default mode is the one here too. The methods lock
 * in the running Spring transaction and fail without one; {@link #inTransaction} begins it. Errors are Spring's, see {@link LockExceptionTranslator}; a wait is
 * capped by what remains of the transaction's timeout. Thread-safe.
 */
public final class RowLockTemplate {
    private static final String WHAT = "RowLockTemplate";

    /** Where none is given: as {@link RowLock#mode()}. */
    private static final RowLockMode MODE = RowLockMode.FOR_NO_KEY_UPDATE;

    private final SpringLocks locks;
    private final TransactionTemplate transactions;
    private final DataSource dataSource;
    private final SQLExceptionTranslator translator;

    /**
     * A template for one DataSource, with the default settings and without metrics.
     *
     * @param locks the application's
     * @param transactions begins the transactions of {@link #inTransaction}; that of the DataSource
     * @param dataSource where to lock
     */
    public RowLockTemplate(RowLocks locks, PlatformTransactionManager transactions, DataSource dataSource) {
        this(new SpringLocks(locks, RowLockSettings.defaults(), LockInstrumentation.NONE), transactions, dataSource);
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
        LockedTransaction.listenTo(transactions);
        this.translator = new SQLErrorCodeSQLExceptionTranslator("PostgreSQL");
    }

    /**
     * Locks {@link RowLockMode#FOR_NO_KEY_UPDATE} and waits as configured.
     *
     * @param key what to lock
     * @return what is held now
     */
    public LockResult lock(LockKey key) {
        return lock(key, MODE, defaultWait());
    }

    /**
     * Locks.
     *
     * @param key what to lock
     * @param mode how strongly
     * @param wait how long to wait
     * @return what is held now
     * @throws org.springframework.dao.CannotAcquireLockException if it is not available; the transaction stays usable
     */
    public LockResult lock(LockKey key, RowLockMode mode, LockWait wait) {
        return take(one(key, mode), wait, (tx, capped) -> tx.lock(key, mode, capped));
    }

    /**
     * Locks several in one round trip and one order, all or none.
     *
     * @param keys what to lock
     * @return what is held now
     */
    public LockAllResult lockAll(Collection<? extends LockKey> keys) {
        return lockAll(keys, MODE, defaultWait());
    }

    /**
     * Locks several in one round trip and one order, all or none.
     *
     * @param keys what to lock
     * @param mode how strongly
     * @param wait how long to wait for all together
     * @return what is held now
     * @throws org.springframework.dao.CannotAcquireLockException if one is not available; the transaction stays usable
     */
    public LockAllResult lockAll(Collection<? extends LockKey> keys, RowLockMode mode, LockWait wait) {
        return take(all(keys, mode), wait, (tx, capped) -> tx.lockAll(keys, mode, capped));
    }

    /**
     * Locks several in one round trip and one order, each in a mode of its own, all or none.
     *
     * @param modes what to lock and how strongly
     * @param wait how long to wait for all together
     * @return what is held now
     * @throws org.springframework.dao.CannotAcquireLockException if one is not available; the transaction stays usable
     */
    public LockAllResult lockAll(Map<? extends LockKey, RowLockMode> modes, LockWait wait) {
        if (modes == null || modes.isEmpty() || modes.values().stream().anyMatch(Objects::isNull)) {
            throw new IllegalArgumentException("The modes are null or empty, or one of them is null");
        }
        Map<LockKey, RowLockMode> all = new LinkedHashMap<>();
        modes.forEach((key, mode) -> all.putAll(one(key, mode)));
        return take(all, wait, (tx, capped) -> tx.lockAll(modes, capped));
    }

    /**
     * Locks {@link RowLockMode#FOR_NO_KEY_UPDATE} if no other transaction holds the lock.
     *
     * @param key what to lock
     * @return true if and only if it is held now
     */
    public boolean tryLock(LockKey key) {
        return tryLock(key, MODE, LockWait.noWait());
    }

    /**
     * Locks {@link RowLockMode#FOR_NO_KEY_UPDATE} if the lock can be had within a duration.
     *
     * @param key what to lock
     * @param atMost how long to wait
     * @return true if and only if it is held now
     */
    public boolean tryLock(LockKey key, Duration atMost) {
        return tryLock(key, MODE, LockWait.atMost(atMost));
    }

    /**
     * Locks if the lock can be had within a wait.
     *
     * @param key what to lock
     * @param mode how strongly
     * @param wait how long to wait
     * @return true if and only if it is held now
     */
    public boolean tryLock(LockKey key, RowLockMode mode, LockWait wait) {
        return take(one(key, mode), wait, (tx, capped) -> tx.tryLock(key, mode, capped));
    }

    /**
     * Locks {@link RowLockMode#FOR_NO_KEY_UPDATE} and runs a query behind the lock, in one round trip.
     *
     * @param key what to lock
     * @param sql one statement that returns rows
     * @param mapper makes a value of each row
     * @param binds a value per {@code ?}
     * @param <T> the value of a row
     * @return a value per row
     * @see TransactionLocks#lockAndQuery(LockKey, String, RowMapper, Object...)
     */
    public <T> List<T> lockAndQuery(LockKey key, String sql, RowMapper<T> mapper, @Nullable Object... binds) {
        return take(one(key, MODE), defaultWait(), (tx, capped) -> {
            try {
                return tx.lockAndQuery(key, MODE, capped, sql, mapper, binds);
            } catch (SQLException e) {
                throw translator.translate("lockAndQuery", sql, e);
            }
        });
    }

    /**
     * The writes of the running transaction that are sent at its end, in one flush, for statements whose results nobody needs
     * before: {@code template.atCommit().add("update ..", ..).expectOneRow()}. With a {@link RowLockTransactionManager} they
     * go with the COMMIT; with any other right before it, in a round trip of their own. Where one fails, or does
     * not change as many rows as expected, nothing is stored, and the exception of the transaction is Spring's.
     *
     * <p>Reads of the transaction do not see them. Those added behind a savepoint ({@code Propagation.NESTED}) go when it is
     * rolled back. With JPA they are sent before the entities are flushed: use batches of Hibernate there instead.
     *
     * @return the writes, to add to; take them anew in each place, and do not send them
     * @throws org.springframework.dao.InvalidDataAccessApiUsageException if there is no transaction of the DataSource, or its
     *     manager is not known
     */
    public CommitWrites atCommit() {
        return LockedTransaction.current(WHAT, dataSource).writes(WHAT, locks.locks());
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
        return LockedTransaction.current(WHAT, dataSource).on(connection -> {
            try {
                return locks.locks().in(connection).claim(claim, mapper);
            } catch (LockException e) {
                throw LockExceptionTranslator.translate(e);
            } catch (SQLException e) {
                throw translator.translate("claim", null, e);
            }
        });
    }

    /**
     * Queues for a key in the JVM, begins a transaction, locks, works, commits. Within a running transaction it locks and
     * works in that one, and does not queue.
     *
     * @param key what to lock {@link RowLockMode#FOR_NO_KEY_UPDATE}
     * @param work what to do under the lock
     * @param <T> its result
     * @return what the work returns
     */
    public <T extends @Nullable Object> T inTransaction(LockKey key, Supplier<T> work) {
        return inTransaction(Collections.singletonList(key), MODE, defaultWait(), work);
    }

    /**
     * Queues for keys in the JVM, begins a transaction, locks, works, commits. Within a running transaction it locks and
     * works in that one, and does not queue.
     *
     * @param keys what to lock
     * @param mode how strongly
     * @param wait how long to wait, in the queues and on the server together
     * @param work what to do under the locks
     * @param <T> its result
     * @return what the work returns
     */
    public <T extends @Nullable Object> T inTransaction(
            Collection<? extends LockKey> keys, RowLockMode mode, LockWait wait, Supplier<T> work) {
        Map<LockKey, RowLockMode> modes = all(keys, mode);
        LockedCall call = call(wait);
        return LockedTransaction.mayQueue() && locks.settings().admission()
                ? call.queued(modes, null, () -> lockAndWork(call, modes, work))
                : lockAndWork(call, modes, work);
    }

    // A TransactionTemplate's result is null exactly if the callback's is.
    @SuppressWarnings("NullAway")
    private <T extends @Nullable Object> T lockAndWork(
            LockedCall call, Map<LockKey, RowLockMode> modes, Supplier<T> work) {
        return transactions.execute(status -> {
            call.lock(modes);
            return work.get();
        });
    }

    private static Map<LockKey, RowLockMode> one(LockKey key, RowLockMode mode) {
        return all(Collections.singletonList(key), mode);
    }

    private static Map<LockKey, RowLockMode> all(Collection<? extends LockKey> keys, RowLockMode mode) {
        if (keys == null || keys.stream().anyMatch(Objects::isNull)) {
            throw new IllegalArgumentException(keys == null ? "The keys are null" : "A key is null");
        }
        if (mode == null) {
            throw new IllegalArgumentException("The mode is null; give one of " + List.of(RowLockMode.values()));
        }
        Map<LockKey, RowLockMode> modes = new LinkedHashMap<>();
        keys.forEach(key -> modes.put(key, mode));
        return modes;
    }

    private LockWait defaultWait() {
        return locks.settings().defaultWait();
    }

    private LockedCall call(LockWait wait) {
        return new LockedCall(locks, WHAT, dataSource, wait);
    }

    private <T> T take(
            Map<LockKey, RowLockMode> modes, LockWait wait, BiFunction<TransactionLocks, LockWait, T> locking) {
        return call(wait).take(modes, locking);
    }
}
