package org.rowlock;

/**
 * When Rowlock acquires an advisory lock for a row before the first row lock of a transaction, in the same round trip.
 * Unlike a row lock, an advisory lock is granted in the order of arrival, for all JVMs together. The row is always
 * locked too.
 *
 * <p>It applies to one row with {@link LockStrategy#ROW}, in an exclusive mode, with a wait, and in READ COMMITTED. Any
 * other lock has no front lock. If the wait for the front lock takes too long, the row is locked without it. The limit
 * is the shortest of a minute, a tenth of {@code lock_timeout} or {@code statement_timeout}, and half of {@link
 * LockWait#atMost}.
 */
public enum LockFront {
    /** Acquires it when enough JVMs contend for the row, as Rowlock measures. The default. */
    ADAPTIVE,

    /**
     * Always acquires it. This costs a few percent without contention. Transactions without Rowlock overtake its queue.
     */
    ALWAYS,

    /** Never acquires it. */
    NEVER
}
