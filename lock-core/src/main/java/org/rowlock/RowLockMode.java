package org.rowlock;

/**
 * How strongly a key is locked: PostgreSQL's own four row-lock modes.
 *
 * <p>{@link LockStrategy#ROW} takes them as they are. An advisory lock is either exclusive or shared. With {@link
 * LockStrategy#ADVISORY} and {@link LockStrategy#BOTH} the first two modes are exclusive, and the last two shared. That
 * is stricter than row locks in one pair, {@code FOR NO KEY UPDATE} against {@code FOR KEY SHARE}, and never laxer.
 *
 * <p>{@link #FOR_NO_KEY_UPDATE} is right unless an application deletes rows or changes their keys. The check of a
 * foreign key waits for {@link #FOR_UPDATE} alone. With that mode inserts that reference the row wait, and can deadlock
 * if they are sent before the lock. Hibernate usually sends {@code FOR NO KEY UPDATE} for {@code PESSIMISTIC_WRITE},
 * but not always: see <a href="https://github.com/rowlock/rowlock/blob/main/docs/modes.md">what each way of locking
 * sends</a>.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS">Row-level locks</a>
 */
public enum RowLockMode {
    /**
     * Excludes every other mode, and so inserts that reference the row. For a row that will be deleted, or whose key
     * will change.
     */
    FOR_UPDATE("for update"),

    /**
     * Excludes every mode, because advisory locks have no weaker exclusive one; a row lock does not exclude {@code FOR
     * KEY SHARE}.
     */
    FOR_NO_KEY_UPDATE("for no key update"),

    /** Shares with the two shared modes and excludes the two exclusive ones. */
    FOR_SHARE("for share"),

    /** Shares with the two shared modes; a row lock also shares with {@code FOR NO KEY UPDATE}. */
    FOR_KEY_SHARE("for key share");

    private final String sql;

    RowLockMode(String sql) {
        this.sql = sql;
    }

    /** {@return whether several transactions can hold this mode on one key at a time} */
    public boolean isShared() {
        return this == FOR_SHARE || this == FOR_KEY_SHARE;
    }

    /** {@return the locking clause in lower case, such as {@code for update}} */
    public String sql() {
        return sql;
    }
}
