package org.rowlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
 * <p>Immutable and thread-safe.
 */
public final class LockRequest {
    private static final Pattern ON_CONFLICT = Pattern.compile("(?i)\\bon\\s+conflict\\b");

    private final List<LockKey> keys;
    /** The same with each spelling of an id: of a text column, two spellings of a UUID are two rows of one key. */
    private final List<LockKey> spelled;

    private final RowLockMode mode;
    /** That of each key where they differ; empty where all have the same. */
    private final Map<LockKey, RowLockMode> modes;

    private final Map<LockKey.Row, Insertion> insertions;
    private final @Nullable LockWait wait;
    private final boolean rowRequired;

    private LockRequest(
            List<LockKey> keys,
            List<LockKey> spelled,
            RowLockMode mode,
            Map<LockKey, RowLockMode> modes,
            Map<LockKey.Row, Insertion> insertions,
            @Nullable LockWait wait,
            boolean rowRequired) {
        this.keys = keys;
        this.spelled = spelled;
        this.mode = mode;
        this.modes = modes;
        this.insertions = insertions;
        this.wait = wait;
        this.rowRequired = rowRequired;
    }

    /** How a row is made. */
    record Insertion(String sql, List<@Nullable Object> binds) {}

    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param key what to lock
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forUpdate(LockKey key) {
        return of(RowLockMode.FOR_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_UPDATE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param key what to lock
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forNoKeyUpdate(LockKey key) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_NO_KEY_UPDATE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forNoKeyUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param key what to lock
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forShare(LockKey key) {
        return of(RowLockMode.FOR_SHARE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_SHARE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_SHARE, keys);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_KEY_SHARE}}
     *
     * @param key what to lock
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forKeyShare(LockKey key) {
        return of(RowLockMode.FOR_KEY_SHARE, key);
    }

    /**
     * {@return a request for {@link RowLockMode#FOR_KEY_SHARE}}
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forKeyShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_KEY_SHARE, keys);
    }

    /**
     * {@return a request for a mode that is only known when it runs}
     *
     * @param mode how strongly
     * @param key what to lock
     * @throws IllegalArgumentException if an argument is null
     */
    public static LockRequest of(RowLockMode mode, LockKey key) {
        List<LockKey> keys = List.of(checked(key));
        return new LockRequest(keys, keys, checked(mode), Map.of(), Map.of(), null, false);
    }

    /**
     * {@return a request for a mode that is only known when it runs}
     *
     * @param mode how strongly
     * @param keys what to lock, of one table or several; equal ones count once
     * @throws IllegalArgumentException if an argument or a key is null, or the keys are empty
     */
    public static LockRequest of(RowLockMode mode, Collection<? extends LockKey> keys) {
        if (keys == null || keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "The keys are " + (keys == null ? "null" : "empty") + "; give at least one");
        }
        if (keys.size() == 1) {
            return of(mode, keys.iterator().next());
        }
        keys.forEach(LockRequest::checked);
        List<LockKey> distinct = distinct(keys);
        return new LockRequest(
                distinct, spelled(distinct, List.copyOf(keys)), checked(mode), Map.of(), Map.of(), null, false);
    }

    /**
     * {@return this request and another in one} Each key keeps its mode; of a key that both have, the stronger counts,
     * and this request's {@link #orInsert}. The call waits as long as the more impatient of the two, and requires rows
     * if either does.
     *
     * @param other the other
     * @throws IllegalArgumentException if the other is null
     */
    public LockRequest and(LockRequest other) {
        if (other == null) {
            throw new IllegalArgumentException("The other request is null; make one with LockRequest.forUpdate(key)");
        }
        List<LockKey> given = new ArrayList<>(spelled);
        given.addAll(other.spelled);
        List<LockKey> all = distinct(given);
        RowLockMode strongest = stronger(mode, other.mode);
        Map<LockKey, RowLockMode> each = new LinkedHashMap<>();
        keys.forEach(key -> each.put(key, modeOf(key)));
        other.keys.forEach(key -> each.merge(key, other.modeOf(key), LockRequest::stronger));
        boolean differ = each.values().stream().anyMatch(one -> one != strongest);
        Map<LockKey.Row, Insertion> both = new LinkedHashMap<>(other.insertions);
        both.putAll(insertions);
        return new LockRequest(
                all,
                spelled(all, given),
                strongest,
                differ ? each : Map.of(),
                both,
                shorter(wait, other.wait),
                rowRequired || other.rowRequired);
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
     * @throws IllegalArgumentException if the wait is null
     */
    public LockRequest waiting(LockWait wait) {
        if (wait == null) {
            throw new IllegalArgumentException("The wait is null; give LockWait.forever(), noWait() or atMost()");
        }
        return new LockRequest(keys, spelled, mode, modes, insertions, wait, rowRequired);
    }

    /**
     * {@return the same, with which a row that does not exist is a {@link RowAbsentException}} Without it {@link
     * LockStrategy#ROW} locks nothing for such a row, as {@code FOR UPDATE} does, and {@link LockStrategy#BOTH} the key
     * alone. A query behind the lock has run. {@link LockStrategy#ADVISORY}, names and numbers are then refused with a
     * {@link LockTargetException}, as nothing looks for a row there. {@link RowLocks#execute} takes a round trip more
     * with it.
     */
    public LockRequest requireRow() {
        return new LockRequest(keys, spelled, mode, modes, insertions, wait, true);
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
        if (spelled.size() != 1 || !(spelled.get(0) instanceof LockKey.Row row)) {
            throw new IllegalArgumentException("orInsert() is for a request of one row, and this is of " + spelled
                    + "; make one for each row, and join them with and()");
        }
        if (insert == null || insert.isBlank() || binds == null) {
            throw new IllegalArgumentException("The INSERT for " + row
                    + " is null or blank, or its binds are null; give one statement, and a" + " value per parameter");
        }
        if (ON_CONFLICT.matcher(insert).find()) {
            throw new IllegalArgumentException("The INSERT for " + row + " has an ON CONFLICT; leave it out, as Rowlock"
                    + " adds its own (words in a literal go into a parameter): " + insert);
        }
        // Not List.of(), as a bind may be null.
        Insertion insertion = new Insertion(insert, Arrays.asList(binds.clone()));
        return new LockRequest(keys, spelled, mode, modes, Map.of(row, insertion), wait, rowRequired);
    }

    /** {@return the keys, each once, in the order given} */
    public List<LockKey> keys() {
        return keys;
    }

    /**
     * {@return the rows among the keys, each spelling once, in the order given} Of a text column two spellings of a
     * UUID are two rows, and one key.
     */
    public List<LockKey.Row> rows() {
        List<LockKey.Row> rows = new ArrayList<>(spelled.size());
        for (LockKey key : spelled) {
            if (key instanceof LockKey.Row row) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** {@return the strongest of the keys' modes} */
    public RowLockMode mode() {
        return mode;
    }

    /**
     * {@return how strongly a key is to be locked}
     *
     * @param key one of the keys
     */
    public RowLockMode modeOf(LockKey key) {
        return modes.isEmpty() ? mode : modes.getOrDefault(key, mode);
    }

    /**
     * {@return how long to wait for other transactions}
     *
     * @param otherwise what counts if no wait was given
     */
    public LockWait lockWait(LockWait otherwise) {
        return wait == null ? otherwise : wait;
    }

    /** {@return whether an absent row is an error: true behind {@link #requireRow}} */
    public boolean isRowRequired() {
        return rowRequired;
    }

    Map<LockKey.Row, Insertion> insertions() {
        return insertions;
    }

    private static List<LockKey> distinct(Collection<? extends LockKey> keys) {
        return List.copyOf(new LinkedHashSet<>(keys));
    }

    private static List<LockKey> spelled(List<LockKey> distinct, List<LockKey> given) {
        if (distinct.size() == given.size()) {
            return distinct;
        }
        Set<Object> seen = new HashSet<>();
        return given.stream()
                .filter(key -> seen.add(key instanceof LockKey.Row row ? List.of(row.table(), row.givenId()) : key))
                .toList();
    }

    private static RowLockMode stronger(RowLockMode one, RowLockMode other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static @Nullable LockWait shorter(@Nullable LockWait one, @Nullable LockWait other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return nanos(one) <= nanos(other) ? one : other;
    }

    private static long nanos(LockWait wait) {
        return wait instanceof LockWait.AtMost bound
                ? bound.duration().toNanos()
                : wait instanceof LockWait.NoWait ? 0 : Long.MAX_VALUE;
    }

    private static LockKey checked(@Nullable LockKey key) {
        if (key == null) {
            throw new IllegalArgumentException(
                    "The key is null, or one of several is; make one with LockKey.row(table, id)");
        }
        return key;
    }

    private static RowLockMode checked(@Nullable RowLockMode mode) {
        if (mode == null) {
            throw new IllegalArgumentException(
                    "The mode is null; give one of FOR_UPDATE, FOR_NO_KEY_UPDATE, FOR_SHARE, FOR_KEY_SHARE");
        }
        return mode;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockRequest request
                && keys.equals(request.keys)
                && rows().equals(request.rows())
                && mode == request.mode
                && modes.equals(request.modes)
                && insertions.equals(request.insertions)
                && Objects.equals(wait, request.wait)
                && rowRequired == request.rowRequired;
    }

    @Override
    public int hashCode() {
        return Objects.hash(keys, mode, modes, insertions, wait, rowRequired);
    }

    /** As it is said: {@code account[42] FOR UPDATE and customer[7] FOR SHARE, atMost 0.2s, row required}. */
    @Override
    public String toString() {
        Set<RowLockMode> said = modes.isEmpty() ? EnumSet.of(mode) : EnumSet.copyOf(modes.values());
        return said.stream()
                        .map(each -> keys.stream()
                                        .filter(key -> modeOf(key) == each)
                                        .map(LockKey::toString)
                                        .collect(Collectors.joining(", "))
                                + ' '
                                + each.name().replace('_', ' '))
                        .collect(Collectors.joining(" and "))
                + (insertions.isEmpty() ? "" : ", or insert")
                + (wait == null ? "" : ", " + wait)
                + (rowRequired ? ", row required" : "");
    }
}
