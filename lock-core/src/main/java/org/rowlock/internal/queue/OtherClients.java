package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The knowledge about clients outside the queues of a {@link KeyQueues}, and the times of the questions to the server.
 * The policies share one object, because the server visits all its locks for each question. Thread-safe.
 */
final class OtherClients {
    /** The shortest time between two questions, because many contended rows would lead to many questions. */
    static final long BETWEEN_NANOS = OpenPolicy.CHECK_NANOS;

    /** The smallest number of waiting sessions of other JVMs that shows contention with other JVMs. */
    static final int OTHERS = 4;

    /**
     * The number of answers in succession that show contention. One answer may be wrong, because transactions of this
     * JVM begin and end their waits during the question.
     */
    private static final int CHECKS = 2;

    /** The number of waiting sessions of other JVMs for which one answer suffices. */
    static final int MANY = 32;

    /** How long contention with other JVMs is assumed after the last answer that showed it. */
    static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The time until the next question after the first answer without contention. Each such answer doubles it. */
    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LONGEST_NANOS = 8 * FIRST_NANOS;

    private final LongSupplier nanos;
    private final AtomicLong nextAskNanos;

    /** Whether any policy has counted few clients without Rowlock. Until then, queues open for their first crowds. */
    volatile boolean counted;

    /** Whether the server has ever shown other JVMs. The field spares most locks a reading of the clock. */
    volatile boolean shown;

    /** Whether a lock has waited so long since the last answer that other JVMs may contend. */
    volatile boolean suspected;

    private volatile long contendUntilNanos;
    private volatile long nextProofNanos;
    private long betweenProofsNanos = FIRST_NANOS;
    private int inRow;

    /** @param nanos returns a time that never decreases */
    OtherClients(LongSupplier nanos) {
        this.nanos = nanos;
        this.nextAskNanos = new AtomicLong(nanos.getAsLong());
        this.nextProofNanos = nextAskNanos.get();
        this.contendUntilNanos = nextProofNanos;
    }

    /** Whether the caller may ask now. If so, no other caller may ask for a while. */
    boolean mayAsk() {
        long next = nextAskNanos.get();
        long now = nanos.getAsLong();
        return now - next >= 0 && nextAskNanos.compareAndSet(next, now + BETWEEN_NANOS);
    }

    /** Whether transactions of other JVMs contend for rows, according to the server. */
    boolean contend() {
        return nanos.getAsLong() - contendUntilNanos < 0;
    }

    /** Whether the caller may ask now whether other JVMs contend. If so, no other caller may ask for a while. */
    boolean mayAskForOthers() {
        boolean asks = suspected && nanos.getAsLong() - nextProofNanos >= 0 && mayAsk();
        if (asks) {
            nextProofNanos = nanos.getAsLong() + FIRST_NANOS;
        }
        return asks;
    }

    /**
     * Records the server's answer. Returns whether contention is known or likely.
     *
     * @param others how many sessions of other JVMs wait for rows of a table or for front locks. If the number is
     *     {@link QueuePolicy#UNKNOWN}, contention is assumed
     */
    synchronized boolean answered(int others) {
        long now = nanos.getAsLong();
        boolean shows = others == QueuePolicy.UNKNOWN || others >= OTHERS;
        inRow = others >= MANY ? CHECKS : shows ? inRow + 1 : 0;
        suspected = shows && inRow < CHECKS;
        if (suspected) {
            nextProofNanos = now + BETWEEN_NANOS;
        } else if (shows) {
            contendUntilNanos = now + VALID_NANOS;
            shown = true;
            nextProofNanos = now + VALID_NANOS / 2;
            betweenProofsNanos = FIRST_NANOS;
        } else {
            nextProofNanos = now + betweenProofsNanos;
            betweenProofsNanos = Math.min(LONGEST_NANOS, 2 * betweenProofsNanos);
        }
        return shows || contend();
    }
}
