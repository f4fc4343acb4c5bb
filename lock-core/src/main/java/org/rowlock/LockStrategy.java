package org.rowlock;

/**
 * The kind of lock that a row gets, configured for each table.
 *
 * <p>A migration goes {@link #ROW}, {@link #BOTH}, {@link #ADVISORY}, one step at a time. Each step can be reverted,
 * and neighbouring strategies exclude each other while old and new instances run side by side: {@code ROW} and
 * {@code BOTH} meet at the row lock, {@code BOTH} and {@code ADVISORY} at the advisory lock. {@code ROW} and
 * {@code ADVISORY} have nothing in common and do <em>not</em> exclude each other: never skip {@code BOTH}.
 *
 * <p>Names and raw numbers have no row: they are always locked by an advisory lock.
 */
public enum LockStrategy {
    /**
     * The real {@code SELECT ... FOR UPDATE}. The default. It excludes plain writers, and deadlocks as the statement
     * does. An absent row cannot be locked. Only the place of a wait differs: a {@linkplain
     * RowLocksBuilder#maxAdmittedPerKey few} transactions of a JVM wait for a row at the server, the others in the JVM.
     * If many JVMs contend for a row, they wait for an advisory lock {@linkplain RowLocksBuilder#front in front} of it.
     */
    ROW,

    /**
     * The advisory lock first, then the row lock, in one round trip. Keeps every guarantee of the row lock, and
     * contenders queue at the advisory lock instead of the row: the step between {@link #ROW} and {@link #ADVISORY}.
     * Lock before you write: a transaction that has written the row, or inserted one that references it, can deadlock
     * with one that locks first.
     */
    BOTH,

    /**
     * The advisory lock alone: no heap write, no WAL, no MultiXact, and rows that do not exist yet can be locked. It
     * does not exclude a transaction that writes the row without a lock of Rowlock.
     */
    ADVISORY
}
