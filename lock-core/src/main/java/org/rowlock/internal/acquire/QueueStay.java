package org.rowlock.internal.acquire;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueuePolicy.Question;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/**
 * A call's entries in the queues of this JVM, while the call's statements are at the server. A call of {@code
 * LockOperation} entered the admission queues before it borrowed a connection. Any other exclusive call that may wait
 * for one row with strategy ROW enters a {@code ROW} queue, and holds its connection while it waits there.
 *
 * @param admitted the entries of this thread in the admission queues; null if the thread has entered no admission queue
 * @param own the entry of this call in a {@code ROW} queue, or null
 * @param fronted the entry whose queue may require a front lock, or null
 */
record QueueStay(
        LockCalls calls,
        PgSession session,
        RequestParts request,
        @Nullable KeyEntries admitted,
        @Nullable QueueEntry own,
        @Nullable QueueEntry fronted)
        implements AutoCloseable {
    /**
     * Waits in the {@code ROW} queue, if necessary. A transaction that may hold a row lock does not wait in the queue.
     */
    static QueueStay enter(
            LockCalls calls, PgSession session, RequestParts request, LockStrategy strategy, boolean begun)
            throws SQLException {
        LockKey first = request.keys().get(0);
        KeyEntries admitted = KeyEntries.entered();
        boolean queues = strategy == LockStrategy.ROW
                && request.keys().size() == 1
                && !RequestParts.isShared(request.mode())
                && !request.lockWait().isNoWait();
        if (admitted != null || !queues) {
            QueueEntry fronted = admitted == null || !queues || begun ? null : admitted.entryOf(first);
            return new QueueStay(calls, session, request, admitted, null, fronted);
        }
        QueueEntry last = begun ? null : calls.lastGranted().get(session.driver());
        if (last != null) {
            last.released(false);
        }
        QueueEntry own =
                calls.queues().entry(31 * first.hashCode() + session.url().hashCode(), null);
        QueueStay stay = new QueueStay(calls, session, request, null, own, begun ? null : own);
        boolean entered = false;
        try {
            // The method holdsNoRow() costs a round trip, so it is called only if the entry would have to wait.
            if (!own.tryEnter() && (!begun || FlushRunner.holdsNoRow(session))) {
                own.enter(request.lockWait().nanos(), Integer.MAX_VALUE);
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
     * Returns the front lock of the row, if the queue requires a front lock. Only transactions without locks acquire
     * front locks, so the wait for a front lock cannot cause a deadlock.
     */
    @Nullable
    Front front(LockWait left, boolean onCitus) {
        if (fronted == null
                || left.isNoWait()
                || !(request.keys().get(0) instanceof LockKey.Row row)
                || session.isSimpleQueryMode()
                || onCitus) {
            return null;
        }
        Question question = fronted.asks(false);
        if (question != null) {
            calls.queues()
                    .ask(fronted, question, sql -> session.outsideTransaction(() -> session.ask(sql, row.table())));
        }
        Front wanted = fronted.front(calls.front());
        return wanted == null ? null : wanted.of(FrontSql.key(session.reported("search_path"), row.table(), row.id()));
    }

    /** @param holds whether the locks are still held; false if the flush had a COMMIT */
    void answered(boolean got, boolean holds) {
        if (own != null) {
            own.endServerWait(got, holds);
            if (got && holds) {
                calls.lastGranted().put(session.driver(), own);
            }
        } else if (got && admitted != null) {
            admitted.locked(request.keys(), holds);
        }
    }

    @Override
    public void close() {
        if (own != null) {
            own.leave();
        }
    }
}
