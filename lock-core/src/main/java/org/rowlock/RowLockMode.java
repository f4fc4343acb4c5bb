package org.rowlock;

/**
 * The mode in which a key is locked: one of PostgreSQL's four row-lock modes.
 *
 * <p>A row lock has the given mode. An advisory lock ({@link LockStrategy#ADVISORY} and {@link LockStrategy#BOTH}) is
 * only exclusive or shared: exclusive for the first two modes, and shared for the last two. Unlike row locks, advisory
 * locks in {@code FOR NO KEY UPDATE} and {@code FOR KEY SHARE} exclude each other.
 *
 * <p>Use {@link #FOR_NO_KEY_UPDATE} unless the transaction deletes the row or changes its key. A row lock in mode
 * {@link #FOR_UPDATE} blocks inserts of rows that reference the locked row. A transaction that inserts such a row
 * before it locks the referenced row can even cause a deadlock. Hibernate usually sends {@code FOR NO KEY UPDATE} for
 * {@code PESSIMISTIC_WRITE}, but not always: see <a
 * href="https://github.com/rowlock/rowlock/blob/main/docs/modes.md">the modes that libraries send</a>.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS">Row-level locks</a>
 */
public enum RowLockMode {
    /**
     * Excludes every mode. A row lock in this mode therefore also blocks inserts of rows that reference this row. Use
     * this mode for a row that will be deleted, or whose key will change.
     */
    FOR_UPDATE,

    /**
     * A row lock in this mode excludes every mode except {@code FOR KEY SHARE}. An advisory lock excludes every mode,
     * because advisory locks have only one exclusive mode.
     */
    FOR_NO_KEY_UPDATE,

    /** Allows the two shared modes and excludes the two exclusive modes. */
    FOR_SHARE,

    /** Allows the two shared modes. A row lock also allows {@code FOR NO KEY UPDATE}. */
    FOR_KEY_SHARE
}
