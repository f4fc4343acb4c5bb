package org.rowlock;

import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.value.CheckReturnValue;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/**
 * The keys that a call locks, their modes, how long the call waits, and whether rows may be absent:
 *
 * <pre>{@code
 * forUpdate(row("account", 42))
 * forShare(rows("account", ids)).atMost(Duration.ofMillis(200))
 * forUpdate(row("orders", 7)).and(forShare(row("customer", 42)))
 * forUpdate(row("counter", "a")).orInsert("insert into counter(id, n) values (?, 0)", "a")
 * }</pre>
 *
 * <p>The keys of one request are locked in one round trip. If a lock is not available in time, no key is locked. The
 * order in which the keys are locked is fixed, and does not depend on the given order. Transactions that each lock with
 * a single call therefore do not deadlock with each other, with two exceptions. Calls with {@link LockStrategy#ROW} can
 * deadlock if their keys have different modes, because Rowlock locks the rows of a table mode by mode. Calls with
 * {@code ROW} can also deadlock if they use different names for one table. Transactions that lock in several calls can
 * deadlock.
 *
 * <p>Immutable and thread-safe. A null, an empty collection, or a collection with a null causes an {@link
 * IllegalArgumentException}.
 */
@CheckReturnValue
public sealed interface LockRequest permits RequestParts {
    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param key the key to lock
     */
    static LockRequest forUpdate(LockKey key) {
        return RequestParts.of(RowLockMode.FOR_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param keys the keys to lock, of one or several tables; equal keys are locked once
     */
    static LockRequest forUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param key the key to lock
     */
    static LockRequest forNoKeyUpdate(LockKey key) {
        return RequestParts.of(RowLockMode.FOR_NO_KEY_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param keys the keys to lock, of one or several tables; equal keys are locked once
     */
    static LockRequest forNoKeyUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param key the key to lock
     */
    static LockRequest forShare(LockKey key) {
        return RequestParts.of(RowLockMode.FOR_SHARE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param keys the keys to lock, of one or several tables; equal keys are locked once
     */
    static LockRequest forShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_SHARE, keys);
    }

    /**
     * {@return a request for a mode that is chosen at run time, or for {@link RowLockMode#FOR_KEY_SHARE}}
     *
     * @param mode the lock mode
     * @param keys the keys to lock, of one or several tables; equal keys are locked once
     */
    static LockRequest of(RowLockMode mode, Collection<? extends LockKey> keys) {
        return RequestParts.of(mode, keys);
    }

    /**
     * {@return a request that combines this request with another} Each key keeps its mode. A key that is in both
     * requests has the stronger mode. If both requests have an INSERT for a key, the INSERT of this request is used.
     * The shorter wait applies to all keys. Absent rows are allowed if both requests allow absent rows. A request with
     * only names and numbers counts as a request that allows absent rows.
     *
     * @param other the other request
     */
    LockRequest and(LockRequest other);

    /**
     * {@return a request that does not wait} If another transaction holds the lock, the call ends at once: {@link
     * TransactionLocks#tryLock} returns a result, and all other methods throw a {@link LockNotAvailableException}. The
     * transaction stays usable, unlike with {@code FOR UPDATE NOWAIT}.
     */
    default LockRequest noWait() {
        return RequestParts.of(this).waiting(LockWait.NO_WAIT);
    }

    /**
     * {@return a request that waits for at most a duration} After this time, {@link TransactionLocks#tryLock} returns a
     * result, and all other methods throw a {@link LockNotAvailableException}. The transaction stays usable, unlike
     * with {@code lock_timeout}. The bound applies to the whole call, including all keys and the admission queue. The
     * bound is rounded up to milliseconds, the unit of the server. With row locks a call can take longer than the
     * bound. The reason is that one {@code FOR UPDATE} of a contended row can wait more than once, and the server
     * applies {@code lock_timeout} to each wait separately.
     *
     * <p>If the server does not answer, the call throws a {@link LockConnectionLostException} after the bound plus two
     * seconds. With row locks, this limit is three times the bound plus two seconds. A shorter {@code socketTimeout} of
     * the driver takes precedence. A call with a query or writes after the lock has no such limit.
     *
     * @param duration the bound; zero is {@link #noWait()}
     * @throws IllegalArgumentException if the duration is null, negative, or more than 2^31-1 milliseconds (24.8 days),
     *     the most that PostgreSQL's {@code lock_timeout} can express
     */
    default LockRequest atMost(Duration duration) {
        return RequestParts.of(this).waiting(LockWait.atMost(duration));
    }

    /**
     * {@return a request that waits without a bound} The wait ends when the lock is granted, or when the server ends
     * the wait: because of a deadlock, or because of the session's {@code lock_timeout} or {@code statement_timeout}.
     * This wait is the default, except for {@link TransactionLocks#tryLock}, which does not wait. In Spring the default
     * can be configured.
     */
    default LockRequest forever() {
        return RequestParts.of(this).waiting(LockWait.FOREVER);
    }

    /**
     * {@return a request that allows absent rows} Without this permission, {@link LockStrategy#ROW} and {@link
     * LockStrategy#BOTH} throw a {@link RowAbsentException} for an absent row, unless {@link #orInsert} inserts the
     * row. If absent rows are allowed, {@link LockStrategy#ROW} locks nothing for an absent row, as {@code FOR UPDATE}
     * does. {@link LockStrategy#BOTH} locks only the key of the row. With {@link LockStrategy#ADVISORY}, and for names
     * and numbers, Rowlock looks for no row, so an absent row is never an error.
     */
    LockRequest allowAbsent();

    /**
     * {@return a request that locks the row, and inserts the row first if it is absent} Locking and inserting take one
     * round trip. If several transactions request the row at the same time, one transaction inserts the row, and the
     * transactions hold the lock one after another. If the inserting transaction rolls back, the next transaction
     * inserts the row. To insert several rows, combine requests with {@link #and}. The rows are inserted in a fixed
     * order.
     *
     * <p>If another transaction has inserted the row and has not committed, a call with {@link #noWait} waits at most a
     * millisecond. If the requested row does not exist after the INSERT, Rowlock tries again, because another
     * transaction may have deleted the row. If the row does not exist after three attempts, Rowlock undoes the INSERT,
     * or aborts the transaction if it had begun before the call. The call then throws a {@link RowAbsentException}.
     * With {@link LockStrategy#ADVISORY} Rowlock does not look for the requested row. An INSERT that creates a
     * different row therefore causes no error, and the different row is stored. Even if the row exists, the caller
     * needs the INSERT privilege, and the server evaluates column defaults and runs BEFORE triggers.
     *
     * <p>If the INSERT fails, methods that declare SQLException throw the driver's exception. {@link
     * TransactionLocks#lock} and {@link TransactionLocks#tryLock} throw a {@link RowlockException} whose cause is the
     * driver's exception.
     *
     * @param insert one INSERT of the row, with {@code ?} for parameters, without RETURNING and ON CONFLICT; Rowlock
     *     adds {@code on conflict do nothing}
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @throws IllegalArgumentException if the request does not have exactly one row
     */
    LockRequest orInsert(String insert, @Nullable Object... binds);
}
