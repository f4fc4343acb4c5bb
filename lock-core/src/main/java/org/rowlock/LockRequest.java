package org.rowlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.Insert;
import org.rowlock.internal.text.RequestParts;

/**
 * What a call locks, how strongly, how long it waits, and what an absent row means. A value, made as it is said in SQL:
 *
 * <pre>{@code
 * forUpdate(row("account", 42))
 * forShare(rows("account", ids)).atMost(Duration.ofMillis(200))
 * forUpdate(row("orders", 7)).and(forKeyShare(row("customer", 42))).requireRow()
 * forUpdate(row("counter", "a")).orInsert("insert into counter(id, n) values (?, 0)", "a")
 * }</pre>
 *
 * <p>The keys of one request are locked in one round trip, all or none, and in one order, whatever the order given.
 * Calls with several keys therefore never deadlock with each other, in one case excepted: {@link LockStrategy#ROW}
 * locks the rows of a table mode by mode, the strongest first, since one statement has one mode for a table. Separate
 * calls of one transaction can deadlock.
 *
 * <p>Immutable and thread-safe. A null, and a collection that is empty or has one, is an {@link
 * IllegalArgumentException}.
 */
public final class LockRequest {
    private static final String NO_KEY = "The key is null, or one of several is; make one with LockKey.row(table, id)";

    private final RequestParts parts;

    private LockRequest(RequestParts parts) {
        this.parts = parts;
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param key what to lock
     */
    public static LockRequest forUpdate(LockKey key) {
        return of(RowLockMode.FOR_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    public static LockRequest forUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param key what to lock
     */
    public static LockRequest forNoKeyUpdate(LockKey key) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    public static LockRequest forNoKeyUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param key what to lock
     */
    public static LockRequest forShare(LockKey key) {
        return of(RowLockMode.FOR_SHARE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    public static LockRequest forShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_SHARE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_KEY_SHARE}}
     *
     * @param key what to lock
     */
    public static LockRequest forKeyShare(LockKey key) {
        return of(RowLockMode.FOR_KEY_SHARE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_KEY_SHARE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     */
    public static LockRequest forKeyShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_KEY_SHARE, keys);
    }

    /**
     * {@return a request for a mode that is only known when it runs}
     *
     * @param mode how strongly
     * @param key what to lock
     */
    public static LockRequest of(RowLockMode mode, LockKey key) {
        return of(mode, List.of(Given.notNull(key, NO_KEY)));
    }

    /**
     * {@return a request for a mode that is only known when it runs}
     *
     * @param mode how strongly
     * @param keys what to lock, of one table or several; equal ones count once
     */
    public static LockRequest of(RowLockMode mode, Collection<? extends LockKey> keys) {
        Given.notNull(mode, "The mode is null; give one of FOR_UPDATE, FOR_NO_KEY_UPDATE, FOR_SHARE, FOR_KEY_SHARE");
        if (Given.notNull(keys, "The keys are null; give at least one").isEmpty()) {
            throw new IllegalArgumentException("The keys are empty; give at least one");
        }
        keys.forEach(key -> Given.notNull(key, NO_KEY));
        return new LockRequest(RequestParts.of(mode, List.copyOf(keys)));
    }

    /**
     * {@return this request and another in one} Each key keeps its mode; of a key that both have, the stronger counts,
     * and this request's {@link #orInsert}. The call waits as long as the more impatient of the two, and requires rows
     * if either does.
     *
     * @param other the other
     */
    public LockRequest and(LockRequest other) {
        Given.notNull(other, "The other request is null; make one with LockRequest.forUpdate(key)");
        return new LockRequest(parts.and(other.parts));
    }

    /**
     * {@return the same, without waiting for other transactions}
     *
     * @see LockWait#noWait()
     */
    public LockRequest noWait() {
        return waiting(LockWait.noWait());
    }

    /**
     * {@return the same, waiting for other transactions for a duration, all keys together}
     *
     * @param duration the bound; zero is {@link #noWait()}
     * @throws IllegalArgumentException if the duration is null, negative or too long; see {@link LockWait#atMost}
     */
    public LockRequest atMost(Duration duration) {
        return waiting(LockWait.atMost(duration));
    }

    /**
     * {@return the same with a wait} Without one {@link TransactionLocks#tryLock} does not wait, and every other call
     * waits forever or, in Spring, as configured.
     *
     * @param wait how long to wait for other transactions
     */
    public LockRequest waiting(LockWait wait) {
        Given.notNull(wait, "The wait is null; give LockWait.forever(), noWait() or atMost()");
        return new LockRequest(parts.with(wait, parts.isRowRequired()));
    }

    /**
     * {@return the same, with which a row that does not exist is a {@link RowAbsentException}} Without it {@link
     * LockStrategy#ROW} locks nothing for such a row, as {@code FOR UPDATE} does, and {@link LockStrategy#BOTH} the key
     * alone. A query behind the lock has run. {@link LockStrategy#ADVISORY}, names and numbers are then refused with a
     * {@link LockTargetException}, as nothing looks for a row there. {@link RowLocks#execute} takes a round trip more
     * with it.
     */
    public LockRequest requireRow() {
        return new LockRequest(parts.with(parts.lockWait(), true));
    }

    /**
     * {@return the same, which inserts the row if it is absent, and locks it either way} Lock and insert are one round
     * trip. Of several transactions that do so at a time one inserts, and each holds the lock in turn; if the inserting
     * transaction rolls back, the next one inserts. Join several with {@link #and}: they are inserted in one order.
     *
     * <p>A call without a wait waits a millisecond at most for a transaction that has inserted the row and has not
     * committed. With {@link LockStrategy#ADVISORY} nothing looks whether the row is there afterwards; otherwise its
     * absence is a {@link RowAbsentException}. {@link RowLocks#execute} takes a round trip more. The INSERT needs its
     * privilege, and evaluates defaults and BEFORE triggers, also if the row exists.
     *
     * @param insert one INSERT of the row, with {@code ?} for parameters, without RETURNING and ON CONFLICT; Rowlock
     *     adds {@code on conflict do nothing}
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @throws IllegalArgumentException if the request is not of one row, an argument is null, or the SQL is blank or
     *     has an ON CONFLICT
     */
    public LockRequest orInsert(String insert, @Nullable Object... binds) {
        if (parts.spelled().size() != 1 || !(parts.spelled().get(0) instanceof LockKey.Row row)) {
            throw new IllegalArgumentException("orInsert() is for a request of one row, and this is of "
                    + parts.spelled() + "; make one for each row, and join them with and()");
        }
        Given.notNull(binds, "The binds of the INSERT are null; give a value per parameter, or none");
        return new LockRequest(parts.with(new Insert(row, insert, Arrays.asList(binds))));
    }

    /** {@return the keys, each once, in the order given} */
    public List<LockKey> keys() {
        return parts.keys();
    }

    /**
     * {@return the rows among the keys, each spelling once, in the order given} Of a text column two spellings of a
     * UUID are two rows, and one key.
     */
    public List<LockKey.Row> rows() {
        List<LockKey.Row> rows = new ArrayList<>(parts.spelled().size());
        for (LockKey key : parts.spelled()) {
            if (key instanceof LockKey.Row row) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** {@return the strongest of the keys' modes} */
    public RowLockMode mode() {
        return parts.mode();
    }

    /**
     * {@return how strongly a key is to be locked}
     *
     * @param key one of the keys
     */
    public RowLockMode modeOf(LockKey key) {
        return parts.modeOf(key);
    }

    /**
     * {@return how long to wait for other transactions}
     *
     * @param otherwise what counts if no wait was given
     */
    public LockWait lockWait(LockWait otherwise) {
        return parts.lockWait() == null ? otherwise : parts.lockWait();
    }

    /** {@return whether an absent row is an error: true behind {@link #requireRow}} */
    public boolean isRowRequired() {
        return parts.isRowRequired();
    }

    Map<LockKey.Row, Insert> inserts() {
        return parts.inserts();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockRequest request && parts.equals(request.parts);
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }

    /** As it is said: {@code account[42] FOR UPDATE and customer[7] FOR SHARE, atMost 0.2s, row required}. */
    @Override
    public String toString() {
        return parts.toString();
    }
}
