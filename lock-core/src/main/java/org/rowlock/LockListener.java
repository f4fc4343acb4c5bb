package org.rowlock;

import java.time.Duration;
import java.util.List;
import org.rowlock.internal.value.EndedEvent;

/**
 * A listener that is notified of the end of an attempt to lock, of a wait in an admission queue, or of a hold. The
 * locking thread calls the listener, and waits until the listener returns. Several threads may call the listener at the
 * same time. A listener must therefore be fast and thread-safe. Rowlock logs the exceptions of a listener, including an
 * {@link Error}, and does not throw them to the caller. If a listener ends the transaction that holds the lock, the
 * call for the lock fails.
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

    /** The kinds of events. The name of the JDK Flight Recorder event of each kind is given in parentheses. */
    enum Kind {
        /** The wait of a call in the admission queues of its keys ({@code org.rowlock.Admission}). */
        ADMISSION,
        /** An attempt to lock ({@code org.rowlock.LockAcquisition}). */
        ACQUISITION,
        /**
         * The time during which a call of {@link LockOperation#inTransaction} holds its locks ({@code
         * org.rowlock.LockHold}). Transactions of Spring's {@code @RowLock} report the meter {@code rowlock.hold}
         * instead.
         */
        HOLD
    }

    /** The outcomes of an event. */
    enum Outcome {
        /** The caller was admitted. */
        ADMITTED,
        /**
         * The caller was not admitted: the call did not wait, its wait timed out, the thread was interrupted, or the
         * queue was full.
         */
        REFUSED,
        /** All keys are locked. */
        ACQUIRED,
        /**
         * A row does not exist. The call throws a {@link RowAbsentException}. If the request {@linkplain
         * LockRequest#allowAbsent allows} absent rows, the call returns, and neither the row nor its key is locked.
         */
        ABSENT,
        /** Another transaction held the lock, and the call did not wait or its wait timed out. */
        NOT_AVAILABLE,
        /** The server ended the wait to break a deadlock. */
        DEADLOCK,
        /**
         * The attempt to lock failed for another reason: for example, the attempt was refused or cancelled, or the
         * connection was lost.
         */
        FAILED,
        /** The transaction that held the keys has committed. */
        COMMITTED,
        /** The transaction that held the keys has not committed, or its outcome is unknown. */
        ROLLED_BACK
    }

    /** The end of an attempt to lock, of a wait in the admission queues, or of a hold. */
    sealed interface LockEvent permits EndedEvent {
        /** {@return the kind of the event} */
        Kind kind();

        /**
         * {@return the distinct requested keys} The keys of an admission are in the order in which the caller entered
         * their queues. The keys of a claim are the keys of the returned rows. With {@link LockStrategy#ROW}, a claim
         * needs no keys and reports an empty list.
         */
        List<LockKey> keys();

        /** {@return the strategy of the keys; {@link LockStrategy#BOTH} if the keys have different strategies} */
        LockStrategy strategy();

        /** {@return the outcome} */
        Outcome outcome();

        /**
         * {@return the duration of the wait in the admission queues, of the attempt to lock, or of the hold} An attempt
         * lasts from the call until the lock was acquired or refused, including the other statements of the same round
         * trip. A hold lasts from the server's answer to the lock statement until the server's answer to the commit or
         * rollback.
         */
        Duration took();
    }
}
