package org.rowlock.doctor;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * A session that waits for a row lock, or for the transaction that holds one.
 *
 * @param otherDatabase its database, if the doctor is connected to another
 * @param table the table of the row, partitions by their root; null if it is not known, or in another database
 * @param row the row's version, or a stand-in for a row that was just updated and is not shown
 * @param namesRow whether the server shows the row
 * @param mode the requested mode; null if the server does not show the row
 * @param transaction the xid that it waits for; null if it queues behind another waiter
 * @param query its statement, normalized; null if the role may not see it
 * @param isTableGuessed whether the table was taken from the same statement at another time
 * @param next the table whose row the holder itself waits for; null if it does not wait, or if that is not known
 * @param holder the pid of the holder, or the gid of a prepared transaction; null if no session holds the row
 * @param isInCircle whether it is part of a deadlock that the server has not detected yet
 * @param holderEvent the wait event of a holder that is not idle; the gid of a prepared transaction
 * @param holderQuery its last statement, normalized; null if the role may not see it
 * @param idleMillis how long the holder has been idle or prepared; null if it is neither
 */
record Wait(
        @Nullable String otherDatabase,
        @Nullable String table,
        String row,
        boolean namesRow,
        @Nullable RowLockMode mode,
        @Nullable String transaction,
        @Nullable String query,
        boolean isTableGuessed,
        double waitedMillis,
        Doing doing,
        @Nullable String next,
        @Nullable String holder,
        boolean isInCircle,
        @Nullable String holderEvent,
        @Nullable String holderQuery,
        @Nullable Double idleMillis) {
    /** The value in place of a wait event for a session that is on a CPU, or waits for one. */
    static final String RUNNING = "running";

    /** The wait event of a commit that waits for a synchronous standby. */
    static final String STANDBY = "IPC:SyncRep";

    /** The activity of the holder meanwhile. */
    enum Doing {
        /** The holder has ended, and the next session is being woken. */
        NONE_YET,
        IDLE_IN_TRANSACTION,
        COMMITTING,
        RUNNING,
        WAITING_FOR_A_LOCK_ITSELF,
        PREPARED,
        NOT_VISIBLE
    }

    /**
     * Creates a wait from a row of the query.
     *
     * @param known the table whose rows the statement waited for at other times; null if there is none
     */
    static Wait of(Row row, @Nullable String known) {
        Wait wait = row.as(Wait.class);
        boolean isUnknown = wait.table() == null && !wait.namesRow();
        if (known != null && (isUnknown || wait.cause() == StatementKind.INSERT)) {
            row.values().putAll(Map.of("table", known, "is_table_guessed", true));
        }
        return row.as(Wait.class);
    }

    /** Returns why it waits. An insert that names no row waits for a unique key, unless its trigger writes rows. */
    StatementKind cause() {
        StatementKind kind = StatementKind.of(query);
        // No statement but the check of a foreign key takes this mode without a locking clause.
        if (kind != StatementKind.LOCKING && mode == RowLockMode.FOR_KEY_SHARE) {
            return StatementKind.FOREIGN_KEY;
        }
        return kind == StatementKind.INSERT && (namesRow || isTableGuessed) ? StatementKind.WRITE : kind;
    }
}
