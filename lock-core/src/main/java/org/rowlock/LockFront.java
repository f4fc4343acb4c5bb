package org.rowlock;

/**
 * Whether the first lock of a transaction has an advisory lock of its row in front of it, in the same round trip: first
 * come, first served over all JVMs, where waiting for the row itself is not. The row is always locked, too.
 *
 * <p>Only for one row, by {@link LockStrategy#ROW}, in an exclusive mode, with a wait, and in READ COMMITTED; any other
 * lock goes to the server without. If the wait for the lock in front takes too long (a minute; a tenth of a
 * {@code lock_timeout} or {@code statement_timeout}; half of a {@link LockWait#atMost bound}), the row is locked
 * without it.
 */
public enum LockFront {
    /** Where so many over all JVMs want a row that it pays, as Rowlock measures it. The default. */
    ADAPTIVE,

    /** Always. Costs a few percent where few want a row; transactions beside it without Rowlock overtake it. */
    ALWAYS,

    /** Never. */
    NEVER
}
