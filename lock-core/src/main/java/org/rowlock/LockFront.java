package org.rowlock;

/**
 * When Rowlock acquires an advisory lock for a row before the first row lock of a transaction, in the same round trip.
 * The advisory lock is granted in the order of arrival over all JVMs, which a row lock is not. The row is always locked
 * too.
 *
 * <p>It applies to one row with {@link LockStrategy#ROW}, in an exclusive mode, with a wait, and in READ COMMITTED. Any
 * other lock has none in front. If the wait for the lock in front takes too long, the row is locked without it. The
 * limit is the shortest of a minute, a tenth of {@code lock_timeout} or {@code statement_timeout}, and half of {@link
 * LockWait#atMost}.
 */
public enum LockFront {
    /** Acquires it when enough JVMs contend for the row, as Rowlock measures. The default. */
    ADAPTIVE,

    /** Always acquires it. Costs a few percent without contention. Transactions without Rowlock overtake the queue. */
    ALWAYS,

    /** Never acquires it. */
    NEVER
}
