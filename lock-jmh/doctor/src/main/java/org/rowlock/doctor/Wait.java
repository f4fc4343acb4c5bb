package org.rowlock.doctor;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * A session that waits for a row lock, or for the transaction that holds one.
 *
 * @param table the table of the row, or the root table of a partition; null if the table is unknown
 * @param row the row version, or a placeholder if the server does not show the row because the row was just updated
 * @param namesRow whether the server shows the row
 * @param transaction the xid that the session waits for; null if the session queues behind another waiting session
 * @param query the waiting statement, normalized; null if the role cannot see the statement
 * @param isTableGuessed whether the table comes from an earlier wait of the same statement, or from its trigger
 * @param next the table whose row the holder itself waits for; null if the holder does not wait, or the table is
 *     unknown
 * @param holder the pid of the holder, or the gid of a prepared transaction; null if no session holds the row
 * @param isInCircle whether the session is part of a deadlock that the server has not detected yet
 * @param holderEvent the wait event of a holder that is not idle; the gid of a prepared transaction
 * @param holderQuery the holder's last statement, normalized; null if the role cannot see the statement
 * @param idleMillis how long the holder has been idle or prepared; null in any other state
 */
record Wait(
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
    /** The substitute for a wait event if a session runs on a CPU, or waits for a CPU. */
    static final String RUNNING = "running";

    /** The wait event of a commit that waits for a synchronous standby. */
    static final String STANDBY = "IPC:SyncRep";

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

    static Wait of(Row row, @Nullable String known) {
        Wait wait = row.as(Wait.class);
        boolean isUnknown = wait.table() == null && !wait.namesRow();
        if (known != null && (isUnknown || wait.cause() == StatementKind.INSERT)) {
            row.values().putAll(Map.of("table", known, "is_table_guessed", true));
        }
        return row.as(Wait.class);
    }

    /**
     * Returns why the session waits. If an INSERT waits for a visible row, the cause is a write by a trigger of the
     * INSERT.
     */
    StatementKind cause() {
        StatementKind kind = StatementKind.of(query);
        // Without a locking clause, only the check of a foreign key takes this mode.
        if (kind != StatementKind.LOCKING && mode == RowLockMode.FOR_KEY_SHARE) {
            return StatementKind.FOREIGN_KEY;
        }
        return kind == StatementKind.INSERT && (namesRow || isTableGuessed) ? StatementKind.WRITE : kind;
    }
}
