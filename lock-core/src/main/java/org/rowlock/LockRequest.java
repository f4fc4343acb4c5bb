package org.rowlock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Given;

/**
 * The keys that a call locks, how strongly, how long it waits, and whether a row may be absent. A value in words of
 * SQL:
 *
 * <pre>{@code
 * forUpdate(row("account", 42))
 * forShare(rows("account", ids)).atMost(Duration.ofMillis(200))
 * forUpdate(row("orders", 7)).and(forKeyShare(row("customer", 42)))
 * forUpdate(row("counter", "a")).orInsert("insert into counter(id, n) values (?, 0)", "a")
 * }</pre>
 *
 * <p>The keys of one request are locked in one round trip, all or none, and in one order, whatever the order given.
 * Calls with several keys therefore never deadlock with each other, with one exception. {@link LockStrategy#ROW} locks
 * the rows of a table mode by mode, the strongest first, because one statement has one mode for a table. Separate calls
 * of one transaction can deadlock.
 *
 * <p>Immutable and thread-safe. A null, an empty collection, and a collection with a null are an {@link
 * IllegalArgumentException}.
 */
public sealed interface LockRequest permits RequestParts {
    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param key what to lock
     */
    static LockRequest forUpdate(LockKey key) {
        return of(RowLockMode.FOR_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    static LockRequest forUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param key what to lock
     */
    static LockRequest forNoKeyUpdate(LockKey key) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    static LockRequest forNoKeyUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param key what to lock
     */
    static LockRequest forShare(LockKey key) {
        return of(RowLockMode.FOR_SHARE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    static LockRequest forShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_SHARE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_KEY_SHARE}}
     *
     * @param key what to lock
     */
    static LockRequest forKeyShare(LockKey key) {
        return of(RowLockMode.FOR_KEY_SHARE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_KEY_SHARE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    static LockRequest forKeyShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_KEY_SHARE, keys);
    }

    /**
     * {@return a request for a mode that is only known when it runs}
     *
     * @param mode how strongly
     * @param key what to lock
     */
    static LockRequest of(RowLockMode mode, LockKey key) {
        return RequestParts.of(mode, List.of(Given.notNull(key, RequestParts.NO_KEY)));
    }

    /**
     * {@return a request for a mode that is only known when it runs}
     *
     * @param mode how strongly
     * @param keys what to lock, of one table or several; equal ones count once
     */
    static LockRequest of(RowLockMode mode, Collection<? extends LockKey> keys) {
        return RequestParts.of(mode, keys);
    }

    /**
     * {@return this request and another in one} Each key keeps its mode. A key of both has the stronger mode, and this
     * request's {@link #orInsert}. The shorter wait applies to all. Absent rows are allowed if both requests allow
     * them; a request of names and numbers alone allows them.
     *
     * @param other the other
     */
    LockRequest and(LockRequest other);

    /**
     * {@return the same, without waiting for other transactions}
     *
     * @see LockWait#noWait()
     */
    default LockRequest noWait() {
        return waiting(LockWait.noWait());
    }

    /**
     * {@return the same, waiting for other transactions for a duration, all keys together}
     *
     * @param duration the bound; zero is {@link #noWait()}
     */
    default LockRequest atMost(Duration duration) {
        return waiting(LockWait.atMost(duration));
    }

    /**
     * {@return the same with a wait} Without one {@link TransactionLocks#tryLock} does not wait, and every other call
     * waits forever or, in Spring, as configured.
     *
     * @param wait how long to wait for other transactions
     */
    LockRequest waiting(LockWait wait);

    /**
     * {@return the same, for rows that may not exist} Without it an absent row is a {@link RowAbsentException}. With it
     * {@link LockStrategy#ROW} locks nothing for such a row, as {@code FOR UPDATE} does, and {@link LockStrategy#BOTH}
     * locks its key alone. With keys alone ({@link LockStrategy#ADVISORY}, names, numbers) Rowlock does not look for a
     * row, so an absent one is never an error.
     */
    LockRequest allowAbsent();

    /**
     * {@return the same, which inserts the row if it is absent, and locks it either way} Lock and insert are one round
     * trip. If several transactions do so at a time, one inserts, and each holds the lock in turn. If the inserting
     * transaction rolls back, the next one inserts. Join several requests with {@link #and}: their rows are inserted in
     * one order.
     *
     * <p>A call that does not wait gives a transaction that has inserted the row a millisecond at most to commit. If
     * the row does not exist after the INSERT, the INSERT has made another row or none. It is then undone, and the call
     * throws a {@link RowAbsentException}. With {@link LockStrategy#ADVISORY} nothing looks for the row, and the other
     * row is stored. The INSERT needs its privilege, and evaluates defaults and BEFORE triggers, even if the row
     * exists.
     *
     * <p>If the INSERT fails, each method that declares SQLException throws the driver's own. {@link
     * TransactionLocks#lock} and {@link TransactionLocks#tryLock} throw a {@link RowlockException} with that as the
     * cause.
     *
     * @param insert one INSERT of the row, with {@code ?} for parameters, without RETURNING and ON CONFLICT; Rowlock
     *     adds {@code on conflict do nothing}
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @throws IllegalArgumentException if the request is not of one row
     */
    LockRequest orInsert(String insert, @Nullable Object... binds);

    /** {@return the keys, each once, in the order given} */
    List<LockKey> keys();

    /**
     * {@return the rows among the keys, each spelling once, in the order given} In a text column two spellings of a
     * UUID are two rows with one key.
     */
    List<LockKey.Row> rows();

    /** {@return the strongest of the keys' modes} */
    RowLockMode mode();

    /**
     * {@return how strongly a key is to be locked}
     *
     * @param key one of the keys
     */
    RowLockMode modeOf(LockKey key);

    /**
     * {@return how long to wait for other transactions}
     *
     * @param otherwise what counts if no wait was given
     */
    LockWait lockWait(LockWait otherwise);

    /** {@return whether an absent row is no error, because of {@link #allowAbsent}} */
    boolean isAbsentAllowed();
}
