package org.rowlock.doctor;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * A session that waits for a row lock, or for the transaction that holds one.
 *
 * @param pid the session
 * @param database its database
 * @param table whose row it wants, partitions by their root; null where that is not known, or of another database
 * @param tuple the version of the row; null if the server does not show it: behind a row that has just been updated
 * @param transaction the xid that it waits for; null if it queues behind another waiter
 * @param cause what makes it wait
 * @param mode how it wants the row; null where that is not known
 * @param statement normalized; null if the role may not see it
 * @param millis since when
 * @param holder who has the row; null if the session queues behind another waiter
 */
record Wait(
        int pid,
        String database,
        @Nullable String table,
        @Nullable Tuple tuple,
        @Nullable String transaction,
        Cause cause,
        @Nullable RowLockMode mode,
        @Nullable String statement,
        double millis,
        @Nullable Holder holder) {

    /** A version of a row; an update makes a new one. */
    record Tuple(long relation, long page, long number) {}

    /**
     * The holder that is waited for.
     *
     * @param pid 0 for a prepared transaction
     * @param event its wait event, {@link WaitEvents#RUNNING} for none; the gid of a prepared transaction
     * @param statement its last, normalized; null if the role may not see it
     * @param millis how long it has been in this state, or prepared
     */
    record Holder(
            int pid, Doing doing, String event, @Nullable String statement, double millis) {}

    /** What a holder does while others wait. */
    enum Doing {
        /** It has ended, and the next one is being woken. */
        CHANGING("changing hands"),
        IDLE("idle in transaction"),
        COMMITTING("committing"),
        RUNNING("running"),
        WAITING("waiting for a lock itself"),
        PREPARED("prepared"),
        HIDDEN("not visible");

        final String title;

        Doing(String title) {
            this.title = title;
        }
    }

    /** What makes a session wait; it decides what helps. */
    enum Cause {
        LOCKING("locking SELECT"),
        WRITE("plain write"),
        FOREIGN_KEY("foreign key check"),
        UNIQUE_KEY("same unique key"),
        CALL("function or procedure"),
        HIDDEN("not visible");

        final String title;

        Cause(String title) {
            this.title = title;
        }
    }

    /**
     * Of what was read. An insert that names no row waits for a unique key, unless a trigger of it writes rows.
     *
     * @param known the table whose rows the statement has waited for at other times; null if there is none
     */
    static Wait of(Row row, @Nullable String known) {
        String statement = row.text("query");
        String tupleMode = row.text("mode");
        StatementKind kind = StatementKind.of(statement);
        Cause asSeen = cause(kind, tupleMode);
        boolean isTrigger = asSeen == Cause.UNIQUE_KEY && known != null;
        Cause cause = isTrigger ? Cause.WRITE : asSeen;
        return new Wait(
                (int) row.count("pid"),
                row.string("database"),
                isTrigger ? known : row.text("table_name"),
                tupleMode == null ? null : new Tuple(row.count("relation"), row.count("page"), row.count("tuple")),
                row.text("transaction"),
                cause,
                tupleMode != null
                        ? rowLockMode(tupleMode)
                        : kind == StatementKind.LOCKING && statement != null
                                ? StatementKind.clause(statement).orElse(null)
                                : cause == Cause.WRITE ? RowLockMode.FOR_NO_KEY_UPDATE : null,
                statement,
                Math.max(0, row.number("waited_ms")),
                row.is("is_held") ? holder(row) : null);
    }

    private static Cause cause(StatementKind kind, @Nullable String tupleMode) {
        if (tupleMode == null && kind == StatementKind.INSERT) {
            return Cause.UNIQUE_KEY;
        }
        if (kind != StatementKind.LOCKING && tupleMode != null && rowLockMode(tupleMode) == RowLockMode.FOR_KEY_SHARE) {
            // Nothing else takes this mode without saying so.
            return Cause.FOREIGN_KEY;
        }
        return switch (kind) {
            case LOCKING -> Cause.LOCKING;
            case WRITE, INSERT -> Cause.WRITE;
            case CALL -> Cause.CALL;
            case HIDDEN -> Cause.HIDDEN;
        };
    }

    /** Which table lock mode the server's tuple lock uses for which row lock mode (tupleLockExtraInfo in heapam.c). */
    private static RowLockMode rowLockMode(String tupleLockMode) {
        return switch (tupleLockMode) {
            case "AccessShareLock" -> RowLockMode.FOR_KEY_SHARE;
            case "RowShareLock" -> RowLockMode.FOR_SHARE;
            case "ExclusiveLock" -> RowLockMode.FOR_NO_KEY_UPDATE;
            default -> RowLockMode.FOR_UPDATE;
        };
    }

    private static Holder holder(Row row) {
        String event = row.has("holder_event") ? row.string("holder_event") : WaitEvents.RUNNING;
        return new Holder(
                (int) row.count("holder"),
                doing(row, event),
                event,
                row.text("holder_query"),
                Math.max(0, row.number("holder_state_ms")));
    }

    private static Doing doing(Row row, String event) {
        if (!row.has("holder")) {
            return Doing.PREPARED;
        }
        String state = row.text("holder_state");
        if (state == null) {
            return Doing.HIDDEN;
        }
        if (state.startsWith("idle")) {
            return Doing.IDLE;
        }
        if (row.is("holder_waits")) {
            return Doing.WAITING;
        }
        String query = row.string("holder_query").toLowerCase(Locale.ROOT);
        return WaitEvents.isCommit(event) || query.startsWith("commit") || query.equals("end")
                ? Doing.COMMITTING
                : Doing.RUNNING;
    }
}
