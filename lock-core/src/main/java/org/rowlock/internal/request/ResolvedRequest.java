package org.rowlock.internal.request;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.Insert;

/**
 * What one call asks for, split by the kind of lock.
 *
 * @param lockWait how long it waits now
 * @param strategy that of all keys, or BOTH
 * @param rows those that need a row lock, by table and mode
 * @param typed the tables of keys without a row lock whose ids are texts: the flush checks that they still are
 * @param inserts of rows that may not be there, in one order for all calls
 * @param anyIsolationAllowed whether a row lock stands behind every advisory lock, so that the server itself finds a
 *     stale snapshot
 * @param front what goes in front of the lock of the only row; null for nothing
 */
public record ResolvedRequest(
        LockRequest request,
        LockWait lockWait,
        LockStrategy strategy,
        KeyNames names,
        AdvisoryKeys advisory,
        List<RowGroup> rows,
        List<RowTable> typed,
        List<Insert> inserts,
        boolean anyIsolationAllowed,
        @Nullable Front front) {

    /** Of a flush that locks nothing. */
    public static final ResolvedRequest NONE = new ResolvedRequest(
            LockRequest.forUpdate(LockKey.number(0)),
            LockWait.noWait(),
            LockStrategy.ROW,
            KeyNames.WITHOUT_IDS,
            AdvisoryKeys.NONE,
            List.of(),
            true);

    private static final long ROW_LOCK_WAITS = 3;
    private static final long GRACE_MILLIS = 2_000;

    /** The rows of one table that are locked in one mode. */
    public record RowGroup(RowTable table, RowLockMode mode, List<Row> keys) {
        public List<List<String>> ids() {
            return keys.stream().map(Row::givenId).toList();
        }
    }

    /** Whose tables are not looked up yet. */
    ResolvedRequest(
            LockRequest request,
            LockWait wait,
            LockStrategy strategy,
            KeyNames names,
            AdvisoryKeys advisory,
            List<RowGroup> rows,
            boolean anyIsolation) {
        this(request, wait, strategy, names, advisory, rows, List.of(), List.of(), anyIsolation, null);
    }

    /** The tables whose columns are known. */
    public Stream<RowTable> tables() {
        return Stream.concat(rows.stream().map(RowGroup::table), typed.stream());
    }

    /** The distinct keys in the caller's order. */
    public List<LockKey> keys() {
        return request.keys();
    }

    /** That of all keys, or the strongest of several. */
    public RowLockMode mode() {
        return request.mode();
    }

    /** Whether it is one row that is waited for, and that nobody else may hold in the same mode. */
    public boolean isOneRowExclusive() {
        return strategy == LockStrategy.ROW && keys().size() == 1 && !mode().isShared() && !lockWait.isNoWait();
    }

    /** Whether one row is locked, in one spelling. */
    public boolean isOneRow() {
        return rows.size() == 1 && rows.get(0).keys().size() == 1;
    }

    /** The only key, for messages and for the shapes of one key. */
    public LockKey first() {
        return keys().get(0);
    }

    public ResolvedRequest withRows(List<RowGroup> groups) {
        return with(lockWait, advisory, groups, typed, inserts, front);
    }

    public ResolvedRequest withTyped(List<RowTable> tables) {
        return with(lockWait, advisory, rows, tables, inserts, front);
    }

    public ResolvedRequest withInserts(List<Insert> given) {
        return with(lockWait, advisory, rows, typed, given, front);
    }

    private ResolvedRequest with(
            LockWait wait,
            AdvisoryKeys derived,
            List<RowGroup> groups,
            List<RowTable> ofKeys,
            List<Insert> given,
            @Nullable Front other) {
        return new ResolvedRequest(
                request, wait, strategy, names, derived, groups, ofKeys, given, anyIsolationAllowed, other);
    }

    /** How the statements wait. An insert waits for others that insert the same row, and has no NOWAIT. */
    public WaitKind waitKind() {
        return inserts.isEmpty() || !lockWait.isNoWait() ? WaitKind.of(lockWait) : WaitKind.AT_MOST;
    }

    /** The milliseconds that the statements wait, where they are bounded; zero would be no bound. */
    public int waitMillis() {
        return lockWait.isBounded() ? lockWait.millis() : 1;
    }

    /** The same without the advisory locks, which are held already. */
    public ResolvedRequest rowLocksOnly() {
        return new ResolvedRequest(
                request, lockWait, strategy, names, AdvisoryKeys.NONE, rows, List.of(), inserts, true, null);
    }

    /**
     * How long an answer of the server may take where the wait is bounded, or 0. Well above what a right answer takes,
     * as the transaction is lost beyond it: a row lock can wait more than once, and a busy server has other things to
     * do.
     */
    public int socketBoundMillis() {
        if (!lockWait.isBounded()) {
            return 0;
        }
        long waits = rows.isEmpty() ? 1 : ROW_LOCK_WAITS;
        return (int) Math.min(Integer.MAX_VALUE, lockWait.millis() * waits + GRACE_MILLIS + keys().size());
    }

    /** Of absent rows those that were to be inserted. */
    public List<LockKey> notInserted(List<LockKey> absent) {
        if (inserts.isEmpty() || absent.isEmpty()) {
            return List.of();
        }
        List<Row> inserted = inserts.stream().map(Insert::key).toList();
        return absent.stream().filter(inserted::contains).toList();
    }

    /** The same with what is left of a bounded wait. */
    public ResolvedRequest remaining(long startNanos) {
        return lockWait.isBounded()
                ? with(lockWait.remaining(startNanos), advisory, rows, typed, inserts, front)
                : this;
    }

    /** The same with something in front of the lock, or nothing. */
    public ResolvedRequest behind(@Nullable Front other) {
        return with(lockWait, advisory, rows, typed, inserts, other);
    }

    /** A key, and the id that the server's row of it has: another one, which is the row's key. */
    public record Misnamed(Row key, List<String> id) {}

    /** Reports whether a row of this id has another key. A type without keys is locked by the row lock alone. */
    public static boolean isOther(RowTable table, Row key, List<String> found) {
        for (int i = 0; i < key.id().size(); i++) {
            if (table.columns().get(i).kind() != IdType.KEYLESS
                    && !key.id().get(i).equals(IdText.canonical(found.get(i)))) {
                return true;
            }
        }
        return false;
    }

    public String describe() {
        String what = keys().size() == 1
                ? names.of(first())
                : keys().size() + " keys (" + names.of(first()) + ", " + names.of(keys().get(1))
                        + (keys().size() > 2 ? ", ..." : "") + ")";
        return what + ' ' + describeModes() + " (strategy " + strategy + ", wait " + lockWait + ')';
    }

    private String describeModes() {
        Set<RowLockMode> modes = EnumSet.of(mode());
        modes.addAll(advisory.modes());
        rows.forEach(group -> modes.add(group.mode()));
        return modes.stream().map(each -> each.name().replace('_', ' ')).collect(Collectors.joining(" and "));
    }

    public Asked asked(boolean hotStandby) {
        // Ids of other types are checked before they are sent.
        List<String> id =
                tables().anyMatch(RowTable::isIdOpen) && first() instanceof Row row ? row.givenId() : List.of();
        return new Asked(describe(), keys().size(), first().tableOrNull(), id, hotStandby, names);
    }
}
