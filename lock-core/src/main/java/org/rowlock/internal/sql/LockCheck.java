package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;

/**
 * The result of the check in a lock statement: whether the transaction and the table are suitable, and whether the lock
 * is held.
 *
 * @param isolation the transaction's isolation level, as the server spells it
 * @param table the reason why the table is refused: {@link #NOT_A_TABLE} or {@link #NO_PRIVILEGE}, followed by the name
 *     of the table if there are several keys; empty if the table is suitable
 */
public record LockCheck(String isolation, boolean isReadOnly, String table, Lock lock, int locked) {
    static final String NOT_A_TABLE = "?";
    static final String NO_PRIVILEGE = "!";

    public enum Lock {
        HELD,
        TAKEN,
        /** The check refused the lock. */
        NOT_TRIED,
        /** The columns that the row lock used are no longer the id columns of the table. */
        STALE,
        /** The row lock has found fewer rows than requested. */
        ABSENT
    }

    static final LockCheck TAKEN = new LockCheck("", false, "", Lock.TAKEN, 0);
    static final LockCheck ABSENT = new LockCheck("", false, "", Lock.ABSENT, 0);
    static final LockCheck STALE = new LockCheck("", false, "", Lock.STALE, 0);
    private static final LockCheck READ_COMMITTED = new LockCheck("read committed", false, "", Lock.HELD, 1);

    static LockCheck held(@Nullable String isolation) {
        return isolation == null || READ_COMMITTED.isolation.equals(isolation)
                ? READ_COMMITTED
                : new LockCheck(isolation, false, "", Lock.HELD, 1);
    }

    LockCheck of(int keys) {
        return keys == locked ? this : new LockCheck(isolation, isReadOnly, table, lock, keys);
    }

    public boolean isReadCommitted() {
        return isolation.equals("read committed") || isolation.equals("read uncommitted");
    }

    public boolean isTableRefused() {
        return !table.isEmpty();
    }

    public boolean isPrivilegeMissing() {
        return table.startsWith(NO_PRIVILEGE);
    }

    /** Whether the lock was refused only because of the isolation level. */
    public boolean isSnapshotStale() {
        return lock == Lock.NOT_TRIED && !isReadCommitted() && !isReadOnly && !isTableRefused();
    }
}
