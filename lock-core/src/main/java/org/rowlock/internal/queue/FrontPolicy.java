package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether the advisory key goes in front of the next lock of a key, from the {@linkplain AdaptivePolicy crowds} that
 * the locks before it saw. Fed with times, and used under the lock of the queues.
 *
 * <p>PLAIN: no. A crowd that is large, and not this JVM's own, leads to FRONT. If other JVMs have the key in front
 * already, a plain lock overtakes their queue and sees none of it: so now and then a probe has the key in front.
 *
 * <p>FRONT: yes. First come, first served, so the crowd is exact, and a few small ones in a row lead back.
 *
 * <p>OPEN: no. Behind the key the row itself was waited for, again and again: transactions without Rowlock are there,
 * and overtake us. All JVMs try FRONT again at the same time of day, since one alone would only see the crowd of the
 * others.
 */
final class FrontPolicy {
    private enum State {
        PLAIN,
        FRONT,
        OPEN
    }

    /** From so many on the server's queue of row locks costs more than an advisory lock. */
    private static final double CROWD = 8;

    /** A shorter wait may be one for a processor, of whatever length the hold is. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** A JVM alone sees its own crowd, which its queue keeps small. */
    private static final int TIMES_OWN = 2;

    /** How many in a row lead to FRONT: fast, as a JVM of few clients locks a hot row some times a second. */
    private static final int TO_FRONT = 2;

    private static final double SMALL = 3;
    private static final double TIMES_OWN_TO_LEAVE = 1.2;
    private static final double NONE = 2;

    /** How many in a row lead to PLAIN. */
    private static final int TO_PLAIN = 8;

    /** Of how many one is a probe, or timed. */
    private static final int EVERY = 8;

    /** So many holds behind the key are a wait for others. */
    private static final double BEHIND = 4;

    /** A long wait counts as two short ones: where others crowd the row, ours that come at a good moment overtake. */
    private static final int LONG_COUNTS = 2;

    private static final int TO_OPEN = 12;

    /**
     * For so long, since a JVM of a fleet that has just started begins to front seconds before the last one does, and
     * is overtaken meanwhile by transactions of Rowlock.
     */
    private static final long TO_OPEN_MILLIS = 8_000;

    private static final long FIRST_PERIOD_MILLIS = 15_000;
    private static final long MOST_PERIOD_MILLIS = 60_000;

    /** After so much of FRONT what was before is forgotten. */
    private static final long CALM_MILLIS = 20_000;

    /** A transaction that gives up overtakes all that wait for the key: so only where something is wrong. */
    private static final long BOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier millis;
    private State state = State.PLAIN;

    /** How many crowds in a row ask for another state. */
    private int inRow;

    /** Whether the last lock stood behind others. */
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

    /** @param millis the time of day, about the same in all JVMs; differences cost speed only */
    FrontPolicy(LongSupplier millis) {
        this.millis = millis;
    }

    /** How long the next lock is to wait at most for the key in front of it; 0 for none. */
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
     * The server has granted a lock.
     *
     * @param inFront whether the key was in front of it
     * @param crowd how many were in front of it, 0 where this is not known
     * @param own how many of this JVM
     * @param nanos how long it took
     * @param rowHolds how many holds of that it waited for the row behind the key; not a number where this is unknown,
     *     or nobody was in front at the key
     * @param rowNanos how long that was
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

    /** The key could not be had in time. If others of this JVM had it meanwhile the queue is only long. */
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

    /** A stall of this JVM, which all its clients see at once, counts once. */
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
