package org.rowlock.internal.acquire;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.WaitNanos;

/**
 * The place of a call in the queues of this JVM while its flush is at the server. A call with admission has entered the
 * queues before it borrowed a connection. Any other call is in the queue of its only row, with the connection in hand.
 *
 * @param admitted the entries of the thread, or null if it has entered no queue
 * @param own the entry of this call alone, or null
 * @param fronted the entry whose advisory key may go in front of the lock, or null
 */
record QueueStay(
        LockCalls calls,
        PgSession session,
        LockRequest request,
        @Nullable KeyEntries admitted,
        @Nullable QueueEntry own,
        @Nullable QueueEntry fronted)
        implements AutoCloseable {
    /** Waits in the queue, if the call must. Only a single row in an exclusive mode has a queue. */
    static QueueStay enter(
            LockCalls calls,
            PgSession session,
            LockRequest request,
            LockStrategy strategy,
            LockWait wait,
            boolean begun)
            throws SQLException {
        LockKey first = request.keys().get(0);
        KeyEntries admitted = KeyEntries.entered();
        boolean queues = strategy == LockStrategy.ROW
                && request.keys().size() == 1
                && !request.mode().isShared()
                && !wait.isNoWait();
        if (admitted != null || !queues) {
            QueueEntry fronted = admitted == null || !queues || begun ? null : admitted.entryOf(first);
            return new QueueStay(calls, session, request, admitted, null, fronted);
        }
        QueueEntry last = begun ? null : calls.holders().get(session.driver());
        if (last != null) {
            last.released(false);
        }
        QueueEntry own =
                calls.queues().entry(31 * first.hashCode() + session.url().hashCode(), null);
        QueueStay stay = new QueueStay(calls, session, request, null, own, begun ? null : own);
        boolean entered = false;
        try {
            // The server is asked only by a call that would have to wait, because only that call has the time.
            if (!own.tryEnter() && (!begun || session.holdsNoRow())) {
                own.enter(WaitNanos.nanos(wait), Integer.MAX_VALUE);
            }
            entered = true;
            return stay;
        } finally {
            if (!entered) {
                stay.close();
            }
        }
    }

    /**
     * Returns the advisory key to send in front of the row's lock, if the queue requires one. A transaction that waits
     * for that key has not begun and holds nothing, so it blocks only those behind it.
     */
    @Nullable
    Front front(LockWait left, boolean onCitus) {
        Front wanted = fronted == null ? null : fronted.front(calls.front());
        if (wanted == null) {
            return null;
        }
        if (left.isNoWait()
                || !(request.keys().get(0) instanceof LockKey.Row row)
                || session.isSimpleQueryMode()
                || onCitus) {
            wanted.unsent();
            return null;
        }
        return wanted.of(FrontSql.key(session.reported("search_path"), row.table(), row.id()));
    }

    /** @param holds whether the locks, if the call acquired them, are held after the flush, which had no COMMIT */
    void answered(boolean got, boolean holds) {
        if (own != null) {
            own.answered(got, holds);
            if (got && holds) {
                calls.holders().put(session.driver(), own);
            }
        } else if (got && admitted != null) {
            admitted.locked(request.keys(), holds);
        }
    }

    /**
     * Leaves the call's own queue as soon as the server has answered, because the end of the transaction is not
     * visible.
     */
    @Override
    public void close() {
        if (own != null) {
            own.leave();
        }
    }
}
