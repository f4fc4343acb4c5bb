package org.rowlock.internal.sql;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What the guard of a lock statement saw.
 *
 * @param isolation the transaction's isolation level, as the server spells it
 * @param readOnly {@code on} or {@code off}
 * @param table what is wrong with the table, {@link #NOT_A_TABLE} or {@link #NO_PRIVILEGE}, for several keys with the
 *     table's name behind it; empty where nothing is
 * @param lock what became of the lock
 */
public record Guard(String isolation, String readOnly, String table, Lock lock) {
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

    static final Guard TAKEN = new Guard("", "", "", Lock.TAKEN);
    static final Guard STALE = new Guard("", "", "", Lock.STALE);
    private static final Guard READ_COMMITTED = held("read committed");

    /** Reads the row of a lock statement: what became of the lock, and the isolation level. */
    public static Guard read(ResultSet row) throws SQLException {
        String locked = row.getString(1);
        Guard refused = GuardSql.read(locked);
        if (refused != null) {
            return refused;
        }
        if ("false".equals(locked)) {
            return TAKEN;
        }
        // A blocking lock function returns void, an empty text; a trying one true or false.
        String isolation = row.getString(2);
        return READ_COMMITTED.isolation.equals(isolation) ? READ_COMMITTED : held(isolation);
    }

    public static Guard held(String isolation) {
        return new Guard(isolation, "off", "", Lock.HELD);
    }

    public boolean isReadOnly() {
        return readOnly.equals("on");
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
        return lock == Lock.NOT_TRIED && !isReadCommitted() && !isReadOnly() && !isTableRefused();
    }
}
