package org.rowlock.doctor;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * A session that waits for a row lock, or for the transaction that holds one.
 *
 * @param otherDatabase its database, if that is not ours
 * @param table whose row it wants, partitions by their root; null where that is not known, or of another database
 * @param row the version of the row, or, behind a row that has just been updated and is not shown, what stands for it
 * @param namesRow whether the server shows the row
 * @param mode how it wants the row; null if the server does not show the row
 * @param transaction the xid that it waits for; null if it queues behind another waiter
 * @param query its statement, normalized; null if the role may not see it
 * @param isTableGuessed whether the table is that of the same statement at another time
 * @param next the table whose row the holder itself waits for; null if it does not, or that is not known
 * @param isInCircle whether it waits for itself in the end, until the server finds that
 * @param holderEvent what the holder waits for unless it is idle; the gid of a prepared transaction
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
        boolean isInCircle,
        @Nullable String holderEvent,
        @Nullable String holderQuery,
        @Nullable Double idleMillis) {
    /** In place of a wait event: on a CPU, or waiting for one. */
    static final String RUNNING = "running";

    /** The wait event of a commit that waits for a synchronous standby. */
    static final String STANDBY = "IPC:SyncRep";

    /** What the holder does meanwhile. */
    enum Doing {
        /** It has ended, and the next one is being woken. */
        CHANGING_HANDS,
        IDLE_IN_TRANSACTION,
        COMMITTING,
        RUNNING,
        WAITING_FOR_A_LOCK_ITSELF,
        PREPARED,
        NOT_VISIBLE
    }

    /**
     * Of what was read.
     *
     * @param known the table whose rows the statement has waited for at other times; null if there is none
     */
    static Wait of(Row row, @Nullable String known) {
        Wait wait = row.as(Wait.class);
        boolean isUnknown = wait.table() == null && !wait.namesRow();
        if (known != null && (isUnknown || wait.cause() == StatementKind.INSERT)) {
            row.values().putAll(Map.of("table", known, "is_table_guessed", true));
        }
        return row.as(Wait.class);
    }

    /** What makes it wait. An insert that names no row waits for a unique key, unless a trigger of it writes rows. */
    StatementKind cause() {
        StatementKind kind = StatementKind.of(query);
        // Nothing else takes this mode without saying so.
        if (kind != StatementKind.LOCKING && mode == RowLockMode.FOR_KEY_SHARE) {
            return StatementKind.FOREIGN_KEY;
        }
        return kind == StatementKind.INSERT && (namesRow || isTableGuessed) ? StatementKind.WRITE : kind;
    }
}
