package org.rowlock;

import java.time.Duration;
import java.util.List;
import org.rowlock.internal.value.EndedEvent;

/**
 * A listener that is notified when an attempt to lock, a stay in an admission queue, or a hold has ended. It runs on
 * the thread that locks, before that thread continues, and many threads may call it at the same time. So it must be
 * fast and thread-safe. Its exceptions, including an {@link Error}, are logged and not thrown to the caller. If a
 * listener ends the transaction, the call for the lock fails.
 *
 * @see RowLocksBuilder#listener(LockListener)
 */
@FunctionalInterface
public interface LockListener {
    /**
     * Receives an event.
     *
     * @param event the event
     */
    void onEvent(LockEvent event);

    /** The kinds of events, each with its JFR event. */
    enum Kind {
        /** A stay in the admission queues of the keys ({@code org.rowlock.Admission}). */
        ADMISSION,
        /** An attempt to lock ({@code org.rowlock.LockAcquisition}). */
        ACQUISITION,
        /**
         * The hold of the keys of {@link LockOperation#inTransaction}, from the grant to the end of its transaction
         * ({@code org.rowlock.LockHold}). Spring has the meter {@code rowlock.hold}.
         */
        HOLD
    }

    /** The outcomes of an event. */
    enum Outcome {
        /** The caller was admitted. */
        ADMITTED,
        /** The caller was not admitted: the wait timed out, the thread was interrupted, or the queue was full. */
        REFUSED,
        /** All keys are locked. */
        ACQUIRED,
        /**
         * A row does not exist. The call throws a {@link RowAbsentException}. If its request
         * {@linkplain LockRequest#allowAbsent allows} absent rows, no key is locked in place of the row.
         */
        ABSENT,
        /** Another transaction held the lock, and the call did not wait, or the wait timed out. */
        NOT_AVAILABLE,
        /** The server ended the wait to break a deadlock. */
        DEADLOCK,
        /** The attempt to lock failed for another reason: it was refused or cancelled, or the connection was lost. */
        FAILED,
        /** The transaction that held the keys has committed. */
        COMMITTED,
        /** The transaction that held the keys has not committed, or its outcome is unknown. */
        ROLLED_BACK
    }

    /** An event, which reports the end of an attempt to lock, a stay in a queue or a hold. */
    sealed interface LockEvent permits EndedEvent {
        /** {@return the kind of the event} */
        Kind kind();

        /**
         * {@return the distinct requested keys} An admission has them in the order in which their queues were entered.
         * A claim has the keys of the returned rows, or none with {@link LockStrategy#ROW}, which needs no keys.
         */
        List<LockKey> keys();

        /** {@return the lock mode; the strongest one if the keys have different modes} */
        RowLockMode mode();

        /** {@return the strategy of the keys; {@link LockStrategy#BOTH} if their tables have different strategies} */
        LockStrategy strategy();

        /** {@return the wait of the call} */
        LockWait lockWait();

        /** {@return the outcome} */
        Outcome outcome();

        /**
         * {@return how long it took} An admission took the time in the queues. An acquisition took the time from the
         * call until the lock was acquired or refused, including a query in the same round trip. A hold took the time
         * from the server's answer to the lock until its answer to the commit or rollback.
         */
        Duration took();
    }
}
