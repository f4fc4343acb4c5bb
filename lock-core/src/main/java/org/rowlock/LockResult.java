package org.rowlock;

import java.util.List;

/**
 * What a call came to hold.
 *
 * @param strategy by which locks; {@link LockStrategy#BOTH} for a call on tables of several strategies
 * @param isLocked whether all keys are locked now: false if one is taken, and if {@link LockStrategy#ROW} found no row
 *     for one, as {@code FOR UPDATE} then locks nothing. The others are locked in the second case, and in the first
 *     nothing is
 * @param isTaken whether another transaction holds one of them, so that nothing is newly locked; only from
 *     {@link TransactionLocks#tryLock}
 * @param absentRows the keys whose row was looked for and does not exist: with {@link LockStrategy#BOTH} the key is
 *     locked all the same. Always empty with {@link LockStrategy#ADVISORY}, names and numbers, as nothing looks
 */
public record LockResult(LockStrategy strategy, boolean isLocked, boolean isTaken, List<LockKey> absentRows) {
    /** {@return true if one was looked for and not found; false also if none was looked for} */
    public boolean isRowAbsent() {
        return !absentRows.isEmpty();
    }
}
