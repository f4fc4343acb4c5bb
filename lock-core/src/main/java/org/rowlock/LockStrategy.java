package org.rowlock;

/**
 * The kind of lock for the rows of a table. The strategy is configured for each table.
 *
 * <p>Migrate from {@link #ROW} to {@link #BOTH} and then to {@link #ADVISORY}, one step at a time. Each step can be
 * reverted. Instances before and after a step can run side by side, because {@code BOTH} acquires the row lock as well
 * as the advisory lock. {@code ROW} and {@code ADVISORY} have no lock in common and do <em>not</em> exclude each other:
 * never skip {@code BOTH}.
 *
 * <p>Names and raw numbers have no row, and are always locked by an advisory lock.
 */
public enum LockStrategy {
    /**
     * The row lock of a real {@code SELECT ... FOR UPDATE}. This strategy is the default. The lock excludes
     * transactions that write the row without Rowlock. Deadlocks are possible, as with {@code FOR UPDATE}. An absent
     * row cannot be locked. The difference from {@code FOR UPDATE} is where transactions wait. If transactions lock one
     * row in an exclusive mode, only a {@linkplain RowLocksBuilder#maxAdmittedPerKey few} transactions of each JVM wait
     * at the server. The other transactions wait in their JVM. If many JVMs contend for a row, their transactions first
     * wait for an advisory lock of the row, the {@linkplain RowLocksBuilder#front front lock}.
     */
    ROW,

    /**
     * First the advisory lock and then the row lock, in one round trip. This strategy gives all guarantees of the row
     * lock, but transactions queue for the advisory lock instead of the row lock. This strategy is the step between
     * {@link #ROW} and {@link #ADVISORY}. Lock before you write: a transaction that first writes the row, or inserts a
     * row that references this row, can deadlock with a transaction that locks first.
     */
    BOTH,

    /**
     * The advisory lock without the row lock. Acquiring the advisory lock writes neither to the table nor to the WAL,
     * and creates no MultiXacts. Rows that do not exist yet can be locked. The lock does not exclude a transaction that
     * writes the row without Rowlock.
     */
    ADVISORY
}
