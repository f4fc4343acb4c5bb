package org.rowlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a call locks, how strongly, how long it waits, and what an absent row means. A value, made as it is said in SQL:
 *
 * <pre>{@code
 * forUpdate(row("account", 42))
 * forShare(rows("account", ids)).atMost(Duration.ofMillis(200))
 * forUpdate(row("orders", 7)).and(forKeyShare(row("customer", 42))).requireRow()
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
    private final List<LockKey> keys;
    /** The same with each spelling of an id: of a text column, two spellings of a UUID are two rows of one key. */
    private final List<LockKey> spelled;

    private final RowLockMode mode;
    /** That of each key where they differ; empty where all have the same. */
    private final Map<LockKey, RowLockMode> modes;

    private final @Nullable LockWait wait;
    private final boolean rowRequired;

    private LockRequest(
            List<LockKey> keys,
            List<LockKey> spelled,
            RowLockMode mode,
            Map<LockKey, RowLockMode> modes,
            @Nullable LockWait wait,
            boolean rowRequired) {
        this.keys = keys;
        this.spelled = spelled;
        this.mode = mode;
        this.modes = modes;
        this.wait = wait;
        this.rowRequired = rowRequired;
    }

    /**
     * A request for {@link RowLockMode#FOR_UPDATE}.
     *
     * @param key what to lock
     * @return the request
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forUpdate(LockKey key) {
        return of(RowLockMode.FOR_UPDATE, key);
    }

    /**
     * A request for {@link RowLockMode#FOR_UPDATE}.
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @return the request
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_UPDATE, keys);
    }

    /**
     * A request for {@link RowLockMode#FOR_NO_KEY_UPDATE}.
     *
     * @param key what to lock
     * @return the request
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forNoKeyUpdate(LockKey key) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, key);
    }

    /**
     * A request for {@link RowLockMode#FOR_NO_KEY_UPDATE}.
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @return the request
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forNoKeyUpdate(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_NO_KEY_UPDATE, keys);
    }

    /**
     * A request for {@link RowLockMode#FOR_SHARE}.
     *
     * @param key what to lock
     * @return the request
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forShare(LockKey key) {
        return of(RowLockMode.FOR_SHARE, key);
    }

    /**
     * A request for {@link RowLockMode#FOR_SHARE}.
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @return the request
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_SHARE, keys);
    }

    /**
     * A request for {@link RowLockMode#FOR_KEY_SHARE}.
     *
     * @param key what to lock
     * @return the request
     * @throws IllegalArgumentException if the key is null
     */
    public static LockRequest forKeyShare(LockKey key) {
        return of(RowLockMode.FOR_KEY_SHARE, key);
    }

    /**
     * A request for {@link RowLockMode#FOR_KEY_SHARE}.
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @return the request
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public static LockRequest forKeyShare(Collection<? extends LockKey> keys) {
        return of(RowLockMode.FOR_KEY_SHARE, keys);
    }

    /**
     * A request for a mode that is only known when it runs.
     *
     * @param mode how strongly
     * @param key what to lock
     * @return the request
     * @throws IllegalArgumentException if an argument is null
     */
    public static LockRequest of(RowLockMode mode, LockKey key) {
        List<LockKey> keys = List.of(checked(key));
        return new LockRequest(keys, keys, checked(mode), Map.of(), null, false);
    }

    /**
     * A request for a mode that is only known when it runs.
     *
     * @param mode how strongly
     * @param keys what to lock, of one table or several; equal ones count once
     * @return the request
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
        return new LockRequest(distinct, spelled(distinct, List.copyOf(keys)), checked(mode), Map.of(), null, false);
    }

    /**
     * This request and another in one. Each key keeps its mode; of a key that both have, the stronger counts. The call
     * waits as long as the more impatient of the two, and requires rows if either does.
     *
     * @param other the other
     * @return both
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
        return new LockRequest(
                all,
                spelled(all, given),
                strongest,
                differ ? each : Map.of(),
                shorter(wait, other.wait),
                rowRequired || other.rowRequired);
    }

    /**
     * The same, without waiting for other transactions.
     *
     * @return the request
     * @see LockWait#noWait()
     */
    public LockRequest noWait() {
        return waiting(LockWait.noWait());
    }

    /**
     * The same, waiting for other transactions for a duration, all keys together.
     *
     * @param duration the bound; zero is {@link #noWait()}
     * @return the request
     * @throws IllegalArgumentException if the duration is null, negative or too long; see {@link LockWait#atMost}
     */
    public LockRequest atMost(Duration duration) {
        return waiting(LockWait.atMost(duration));
    }

    /**
     * The same with a wait. Without one {@link TransactionLocks#tryLock} does not wait, and every other call waits
     * forever or, in Spring, as configured.
     *
     * @param wait how long to wait for other transactions
     * @return the request
     * @throws IllegalArgumentException if the wait is null
     */
    public LockRequest waiting(LockWait wait) {
        if (wait == null) {
            throw new IllegalArgumentException("The wait is null; give LockWait.forever(), noWait() or atMost()");
        }
        return new LockRequest(keys, spelled, mode, modes, wait, rowRequired);
    }

    /**
     * The same, with which a row that does not exist is a {@link RowAbsentException}. Without it {@link
     * LockStrategy#ROW} locks nothing for such a row, as {@code FOR UPDATE} does, and {@link LockStrategy#BOTH} the key
     * alone. A query behind the lock has run. {@link LockStrategy#ADVISORY}, names and numbers are then refused with a
     * {@link LockTargetException}, as nothing looks for a row there. {@link RowLocks#execute} takes a round trip more
     * with it.
     *
     * @return the request
     */
    public LockRequest requireRow() {
        return new LockRequest(keys, spelled, mode, modes, wait, true);
    }

    /**
     * The keys.
     *
     * @return each once, in the order given
     */
    public List<LockKey> keys() {
        return keys;
    }

    /**
     * The rows among the keys. Of a text column two spellings of a UUID are two rows, and one key.
     *
     * @return each spelling once, in the order given
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

    /**
     * The mode.
     *
     * @return the strongest of the keys' modes
     */
    public RowLockMode mode() {
        return mode;
    }

    /**
     * The mode of one key.
     *
     * @param key one of the keys
     * @return how strongly it is to be locked
     */
    public RowLockMode modeOf(LockKey key) {
        return modes.isEmpty() ? mode : modes.getOrDefault(key, mode);
    }

    /**
     * The wait.
     *
     * @param otherwise what counts if none was given
     * @return how long to wait for other transactions
     */
    public LockWait lockWait(LockWait otherwise) {
        return wait == null ? otherwise : wait;
    }

    /**
     * Whether an absent row is an error.
     *
     * @return true behind {@link #requireRow}
     */
    public boolean isRowRequired() {
        return rowRequired;
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
                && Objects.equals(wait, request.wait)
                && rowRequired == request.rowRequired;
    }

    @Override
    public int hashCode() {
        return Objects.hash(keys, mode, modes, wait, rowRequired);
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
                + (wait == null ? "" : ", " + wait)
                + (rowRequired ? ", row required" : "");
    }
}
