package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;

/**
 * What the check of a lock statement saw.
 *
 * @param isolation the transaction's isolation level, as the server spells it
 * @param isReadOnly whether the transaction is
 * @param table what is wrong with the table, {@link #NOT_A_TABLE} or {@link #NO_PRIVILEGE}, for several keys with the
 *     table's name behind it; empty where nothing is
 * @param lock what became of the lock
 * @param locked how many keys are locked
 */
public record LockCheck(String isolation, boolean isReadOnly, String table, Lock lock, int locked) {
    static final String NOT_A_TABLE = "?";
    static final String NO_PRIVILEGE = "!";

    /** What became of the lock. */
    public enum Lock {
        /** It is held. */
        HELD,
        /** Another transaction holds it. */
        TAKEN,
        /** The check refused, so it was not tried. */
        NOT_TRIED,
        /** The row lock was on columns that are not the id any more. */
        STALE,
        /** The row lock has found fewer rows than it was to lock. */
        ABSENT
    }

    static final LockCheck TAKEN = new LockCheck("", false, "", Lock.TAKEN, 0);
    static final LockCheck ABSENT = new LockCheck("", false, "", Lock.ABSENT, 0);
    static final LockCheck STALE = new LockCheck("", false, "", Lock.STALE, 0);
    private static final LockCheck READ_COMMITTED = new LockCheck("read committed", false, "", Lock.HELD, 1);

    /** One key is held. */
    static LockCheck held(@Nullable String isolation) {
        return isolation == null || READ_COMMITTED.isolation.equals(isolation)
                ? READ_COMMITTED
                : new LockCheck(isolation, false, "", Lock.HELD, 1);
    }

    /** The same of several keys. */
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

    /** Whether the isolation level is all that kept the lock from being taken. */
    public boolean isSnapshotStale() {
        return lock == Lock.NOT_TRIED && !isReadCommitted() && !isReadOnly && !isTableRefused();
    }
}
