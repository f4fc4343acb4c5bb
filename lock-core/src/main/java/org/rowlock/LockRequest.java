package org.rowlock;

import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.value.CheckReturnValue;
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
     * requests has the stronger mode, and the INSERT of this request. The shorter wait applies to all keys. Absent rows
     * are allowed if both requests allow absent rows. A request with only names and numbers counts as a request that
     * allows absent rows.
     *
     * @param other the other request
     */
    LockRequest and(LockRequest other);

    /**
     * {@return a request that does not wait for other transactions}
     *
     * @see LockWait#noWait()
     */
    default LockRequest noWait() {
        return waiting(LockWait.noWait());
    }

    /**
     * {@return a request that waits for other transactions for at most a duration, for all keys together}
     *
     * @param duration the bound; zero is {@link #noWait()}
     */
    default LockRequest atMost(Duration duration) {
        return waiting(LockWait.atMost(duration));
    }

    /**
     * {@return the request with a wait} If this method is not called, {@link TransactionLocks#tryLock} does not wait,
     * and all other methods wait forever. In Spring the default wait can be configured.
     *
     * @param wait how long to wait for other transactions
     */
    LockRequest waiting(LockWait wait);

    /**
     * {@return a request that allows absent rows} With any other request, an absent row causes a {@link
     * RowAbsentException}. If absent rows are allowed, {@link LockStrategy#ROW} locks nothing for an absent row, as
     * {@code FOR UPDATE} does. {@link LockStrategy#BOTH} locks only the key of the row. For {@link
     * LockStrategy#ADVISORY}, names and numbers, Rowlock does not look for a row, so an absent row is never an error.
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
     * transaction may have deleted the row. If the row does not exist after three attempts, Rowlock rolls the INSERT
     * back, and the call throws a {@link RowAbsentException}. With {@link LockStrategy#ADVISORY} Rowlock does not look
     * for the requested row. If the INSERT creates a different row, the different row is then stored. Even if the row
     * exists, the caller needs the INSERT privilege, and the server evaluates column defaults and runs BEFORE triggers.
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
