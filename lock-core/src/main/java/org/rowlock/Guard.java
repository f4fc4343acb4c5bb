package org.rowlock;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What the guard of a lock statement saw.
 *
 * @param isolation the transaction's isolation level, as the server spells it
 * @param readOnly {@code on} or {@code off}
 * @param kind {@link KeySql#KIND} of the table; for several keys only where it is refused, with the table's name behind
 *     it; null or empty where there is no table
 * @param lock what became of the lock
 */
record Guard(String isolation, String readOnly, @Nullable String kind, Lock lock) {

    /** What became of the lock. */
    enum Lock {
        /** It is held. */
        HELD,
        /** Another transaction holds it. */
        TAKEN,
        /** The guard refused, so it was not tried. */
        NOT_TRIED
    }

    static final Guard TAKEN = new Guard("", "", null, Lock.TAKEN);

    static Guard read(ResultSet row) throws SQLException {
        String locked = row.getString(4);
        // A blocking lock function returns void, an empty text; a trying one true or false.
        Lock lock = locked == null ? Lock.NOT_TRIED : locked.equals("false") ? Lock.TAKEN : Lock.HELD;
        return new Guard(row.getString(1), row.getString(2), row.getString(3), lock);
    }

    boolean isReadOnly() {
        return readOnly.equals("on");
    }

    boolean isReadCommitted() {
        return isolation.equals("read committed") || isolation.equals("read uncommitted");
    }

    /** Whether the table is something that has no rows to lock. */
    boolean isTableRefused() {
        return kind != null && !kind.isEmpty() && !KeySql.isTable(kind);
    }

    /** Whether the isolation level is all that kept the lock from being taken. */
    boolean isSnapshotStale() {
        return lock == Lock.NOT_TRIED && !isReadCommitted() && !isReadOnly() && !isTableRefused();
    }

    boolean isPrivilegeMissing() {
        return kind != null && kind.startsWith(KeySql.NO_PRIVILEGE);
    }
}
