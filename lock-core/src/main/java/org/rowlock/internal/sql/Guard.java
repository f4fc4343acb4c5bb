package org.rowlock.internal.sql;

/**
 * What the guard of a lock statement saw.
 *
 * @param isolation the transaction's isolation level, as the server spells it
 * @param isReadOnly whether the transaction is
 * @param table what is wrong with the table, {@link #NOT_A_TABLE} or {@link #NO_PRIVILEGE}, for several keys with the
 *     table's name behind it; empty where nothing is
 * @param lock what became of the lock
 */
public record Guard(String isolation, boolean isReadOnly, String table, Lock lock) {
    static final String NOT_A_TABLE = "?";
    static final String NO_PRIVILEGE = "!";

    /** What became of the lock. */
    public enum Lock {
        /** It is held. */
        HELD,
        /** Another transaction holds it. */
        TAKEN,
        /** The guard refused, so it was not tried. */
        NOT_TRIED,
        /** The row lock was on columns that are not the id any more. */
        STALE
    }

    static final Guard TAKEN = new Guard("", false, "", Lock.TAKEN);
    static final Guard STALE = new Guard("", false, "", Lock.STALE);
    private static final Guard READ_COMMITTED = new Guard("read committed", false, "", Lock.HELD);

    static Guard held(String isolation) {
        return READ_COMMITTED.isolation.equals(isolation) ? READ_COMMITTED : new Guard(isolation, false, "", Lock.HELD);
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
