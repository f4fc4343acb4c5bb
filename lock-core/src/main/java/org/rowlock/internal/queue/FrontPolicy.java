package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides whether the advisory key goes in front of the next lock of a key, from the {@linkplain AdaptivePolicy crowds}
 * that earlier locks have met. It learns from times, and is used under the lock of the queues.
 *
 * <p>PLAIN: no key in front. A crowd that is large, and not this JVM's own, leads to FRONT. If other JVMs already use
 * the key in front, a plain lock overtakes their queue and does not see it. Therefore one lock in a few is a probe with
 * the key in front.
 *
 * <p>FRONT: the key goes in front. It is granted first come, first served, so the crowd is exact. A few small crowds in
 * a row lead back to PLAIN.
 *
 * <p>OPEN: no key in front. Transactions that had the key still waited for the row, again and again, because other
 * transactions bypass Rowlock and overtake its queue. All JVMs try FRONT again at the same time of day, because a
 * single JVM would see only the crowd of the others.
 */
final class FrontPolicy {
    private enum State {
        PLAIN,
        FRONT,
        OPEN
    }

    /** The crowd from which the server's queue of row locks costs more than an advisory lock. */
    private static final double CROWD = 8;

    /**
     * The shortest wait that is considered. A shorter one may be a wait for a processor, however long the lock is held.
     */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * The least ratio of the crowd to this JVM's share of it. A JVM alone sees its own crowd, which its queue keeps
     * small.
     */
    private static final int TIMES_OWN = 2;

    /**
     * How many large crowds in a row lead to FRONT. The number is small, because a JVM with few clients locks a hot row
     * only a few times a second.
     */
    private static final int TO_FRONT = 2;

    private static final double SMALL = 3;
    private static final double TIMES_OWN_TO_LEAVE = 1.2;
    private static final double NONE = 2;

    /** How many small crowds in a row lead to PLAIN. */
    private static final int TO_PLAIN = 8;

    /** One lock in this many is a probe, or is timed. */
    private static final int EVERY = 8;

    /** From this many holds on, a wait behind the key is a wait for transactions that bypass the key. */
    private static final double BEHIND = 4;

    /**
     * How many short waits weigh as much as one long wait. Even if others crowd the row, some of our locks overtake
     * them by chance.
     */
    private static final int LONG_COUNTS = 2;

    private static final int TO_OPEN = 12;

    /**
     * How long the long waits must last. When a fleet has just started, one JVM uses the key in front seconds before
     * the last one does. Meanwhile transactions of Rowlock overtake it.
     */
    private static final long TO_OPEN_MILLIS = 8_000;

    private static final long FIRST_PERIOD_MILLIS = 15_000;
    private static final long MOST_PERIOD_MILLIS = 60_000;

    /** After this time in FRONT, earlier periods of OPEN are forgotten. */
    private static final long CALM_MILLIS = 20_000;

    /**
     * The longest wait for the key. A transaction that gives up overtakes all that wait for the key, so the bound is
     * for faults only.
     */
    private static final long BOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier millis;
    private State state = State.PLAIN;

    /** How many crowds in a row call for another state. */
    private int inRow;

    /** Whether the last lock waited behind transactions of other JVMs. */
    private boolean othersSeen;

    private int plainOnes;
    private int frontOnes;
    private long grantedMillis = Long.MIN_VALUE;

    private int score;
    private long scoredMillis;
    private long countedMillis = Long.MIN_VALUE;

    private long openUntilMillis;
    private long periodMillis = FIRST_PERIOD_MILLIS / 2;
    private long frontMillis = Long.MAX_VALUE;

    /** @param millis the time of day, about the same in all JVMs; differences cost only speed */
    FrontPolicy(LongSupplier millis) {
        this.millis = millis;
    }

    /** Returns how long the next lock waits at most for the key in front of it; 0 for no key. */
    long mostNanos(boolean always) {
        if (state == State.OPEN && millis.getAsLong() >= openUntilMillis) {
            front();
        }
        boolean fronts = state == State.FRONT || (state == State.PLAIN && (always || isProbe()));
        return fronts ? BOUND_NANOS : 0;
    }

    private boolean isProbe() {
        return othersSeen && ++plainOnes % EVERY == 0;
    }

    boolean isTimed() {
        return state == State.FRONT && (score > 0 || frontOnes++ % EVERY == 0);
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /**
     * Records that the server has granted a lock.
     *
     * @param inFront whether the key was in front of it
     * @param crowd how many transactions were in front of it; 0 if this is unknown
     * @param own how many of them are of this JVM
     * @param nanos how long the grant took
     * @param rowHolds how many holds it waited for the row behind the key; not a number if this is unknown, or if no
     *     transaction was in front at the key
     * @param rowNanos how long it waited for the row
     */
    void locked(boolean inFront, double crowd, int own, long nanos, double rowHolds, long rowNanos) {
        othersSeen = crowd >= NONE && crowd > own;
        long now = inFront ? millis.getAsLong() : 0;
        grantedMillis = inFront ? now : grantedMillis;
        if (state == State.PLAIN) {
            boolean large = nanos >= LEAST_NANOS && crowd >= CROWD && crowd >= TIMES_OWN * own;
            if (inFront ? large : isRow(large, TO_FRONT)) {
                front();
            }
        } else if (state == State.OPEN) {
            state = !inFront && isRow(crowd < NONE, TO_PLAIN) ? State.PLAIN : state;
        } else if (inFront && isRow(crowd < Math.max(SMALL, TIMES_OWN_TO_LEAVE * own), TO_PLAIN)) {
            state = State.PLAIN;
        } else if (inFront && !Double.isNaN(rowHolds)) {
            count(rowHolds >= BEHIND, now, now - TimeUnit.NANOSECONDS.toMillis(rowNanos));
        }
    }

    /**
     * Records that the key could not be acquired in time. If other transactions of this JVM acquired it meanwhile, the
     * queue is only long.
     */
    void givenUp(long nanos) {
        long now = millis.getAsLong();
        if (grantedMillis < now - TimeUnit.NANOSECONDS.toMillis(nanos)) {
            open(now);
        }
    }

    private boolean isRow(boolean another, int most) {
        inRow = another ? inRow + 1 : 0;
        boolean row = inRow >= most;
        if (row) {
            inRow = 0;
        }
        return row;
    }

    /**
     * Counts a wait for the row behind the key. A stall of this JVM, which all its clients see at once, is counted
     * once.
     */
    private void count(boolean bad, long now, long begunMillis) {
        if (!bad) {
            score = Math.max(0, score - 1);
        } else if (begunMillis >= countedMillis) {
            countedMillis = now;
            scoredMillis = score == 0 ? now : scoredMillis;
            score = Math.min(TO_OPEN, score + LONG_COUNTS);
            if (score == TO_OPEN && now - scoredMillis >= TO_OPEN_MILLIS) {
                open(now);
            }
        }
    }

    private void front() {
        state = State.FRONT;
        frontMillis = millis.getAsLong();
        inRow = 0;
        score = 0;
    }

    private void open(long now) {
        periodMillis =
                now - frontMillis >= CALM_MILLIS ? FIRST_PERIOD_MILLIS : Math.min(MOST_PERIOD_MILLIS, 2 * periodMillis);
        openUntilMillis = (now / periodMillis + 1) * periodMillis;
        state = State.OPEN;
        inRow = 0;
    }
}
