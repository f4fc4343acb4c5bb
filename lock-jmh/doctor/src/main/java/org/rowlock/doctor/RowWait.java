package org.rowlock.doctor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/**
 * A session that waits for a row lock, or for the transaction that holds one.
 *
 * @param database the session's; null if it has just ended
 * @param row the row; null where the server does not tell: behind a row that has just been updated, and at unique keys
 * @param transaction the xid that it waits for; null if it queues behind another waiter
 * @param mode how it wants the row; null where the row is
 * @param statement normalized; null if the role may not see it
 * @param waited since when
 * @param holder who has the row; null if the session queues behind another waiter
 */
record RowWait(
        @Nullable String database,
        @Nullable Row row,
        @Nullable String transaction,
        @Nullable RowLockMode mode,
        @Nullable String statement,
        Duration waited,
        @Nullable Holder holder) {
    /**
     * A version of a row. An update makes a new one, so a row that is updated has many.
     *
     * @param relation the oid of the table or partition
     * @param table its name, or that of its partition root; null in another database
     */
    record Row(long relation, @Nullable String table, long page, int tuple) {}

    /**
     * Who is waited for.
     *
     * @param inState for how long it has done so; null if that cannot be seen
     */
    record Holder(HolderState state, @Nullable Duration inState) {}

    /** What a holder does meanwhile. */
    enum HolderState {
        RUNNING("running a statement"),
        IDLE_IN_TRANSACTION("idle in transaction"),
        WAITING("waiting for a lock itself"),
        PREPARED("a prepared transaction"),
        HIDDEN("not visible");

        private final String title;

        HolderState(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** What makes a session wait; it decides what helps. */
    enum Cause {
        LOCKING("SELECT with a locking clause"),
        WRITE("plain UPDATE, DELETE or upsert"),
        FOREIGN_KEY("foreign key check"),
        UNIQUE_KEY("insert of the same unique key"),
        CALL("function, procedure or cursor"),
        HIDDEN("statement not visible");

        private final String title;

        Cause(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    Cause cause() {
        StatementKind kind = StatementKind.of(statement);
        if (row == null && kind == StatementKind.INSERT) {
            return Cause.UNIQUE_KEY;
        }
        if (mode == RowLockMode.FOR_KEY_SHARE && kind != StatementKind.LOCKING) {
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
}
