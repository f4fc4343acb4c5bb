package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides whether the next lock of a key has a front lock, from the {@linkplain AdaptivePolicy crowds} of earlier
 * locks, which are estimated from times. Its methods are called under the lock of the queues. The policy has three
 * states.
 *
 * <p>PLAIN: there is no front lock. If crowds are large, and mostly of other JVMs, the state becomes FRONT. If other
 * JVMs already use front locks, a plain lock overtakes their queue without noticing the crowd. Therefore one lock in
 * {@link #EVERY} is a probe with a front lock.
 *
 * <p>FRONT: each lock has a front lock. Front locks are granted in the order of arrival, so the crowd is exact. After a
 * few consecutive small crowds the state becomes PLAIN.
 *
 * <p>OPEN: there is no front lock, because it does not help. Transactions that held a front lock still had to wait for
 * the row. Other transactions bypass Rowlock, and overtake the queue for the front lock. All JVMs return to FRONT at
 * the same time of day, because if one JVM returned alone, it would still be overtaken by the others.
 */
final class FrontPolicy {
    private enum State {
        PLAIN,
        FRONT,
        OPEN
    }

    /** The crowd from which the server's queue of row locks costs more than an advisory lock. */
    private static final double CROWD = 8;

    /** The shortest wait that is evaluated. A shorter wait may only be a wait for a processor. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * The smallest ratio of the crowd to this JVM's share of it. If only one JVM locks the key, the whole crowd is its
     * own, and its queue keeps the crowd small.
     */
    private static final int TIMES_OWN = 2;

    /**
     * How many consecutive large crowds lead to FRONT. The number is small, because a JVM with few clients locks a hot
     * row only a few times per second.
     */
    private static final int TO_FRONT = 2;

    private static final double SMALL = 3;
    private static final double TIMES_OWN_TO_LEAVE = 1.2;
    private static final double NONE = 2;

    /** How many consecutive small crowds lead to PLAIN. */
    private static final int TO_PLAIN = 8;

    /** How many locks there are for each one that is a probe, or is timed by the server. */
    private static final int EVERY = 8;

    /**
     * How many holds the wait for the row after the front lock may last. A longer wait means that transactions have
     * bypassed the front lock.
     */
    private static final double BEHIND = 4;

    /**
     * How many short waits cancel one long wait. The number is more than one, because some waits are short by chance
     * even if other transactions contend for the row.
     */
    private static final int LONG_COUNTS = 2;

    private static final int TO_OPEN = 12;

    /**
     * How long the long waits must continue before the state becomes OPEN. When many JVMs have just started, the first
     * one uses front locks seconds before the last one does. Meanwhile transactions of the other JVMs overtake those of
     * the first.
     */
    private static final long TO_OPEN_MILLIS = 8_000;

    private static final long FIRST_PERIOD_MILLIS = 15_000;
    private static final long MOST_PERIOD_MILLIS = 60_000;

    /** After this time in FRONT, earlier periods of OPEN are forgotten. */
    private static final long CALM_MILLIS = 20_000;

    /**
     * The longest wait for a front lock. A transaction that gives up overtakes all transactions that wait for the lock,
     * so this bound is only for faults.
     */
    private static final long BOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier millis;
    private State state = State.PLAIN;

    /** How many consecutive crowds have required another state. */
    private int inRow;

    /** Whether the last lock waited for transactions of other JVMs. */
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

    /** @param millis returns the time of day, which is about the same in all JVMs; differences cost only speed */
    FrontPolicy(LongSupplier millis) {
        this.millis = millis;
    }

    /** Returns the longest wait for the front lock of the next lock; 0 for no front lock. */
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
     * @param inFront whether it had a front lock
     * @param crowd how many transactions were granted the key before this one; 0 if the number is unknown
     * @param own how many transactions of the crowd belong to this JVM
     * @param nanos how long the grant took
     * @param rowHolds the wait for the row after the front lock, in holds; NaN if it is unknown, or if no transaction
     *     waited for the front lock
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
     * Records that the front lock could not be acquired in time. If other transactions of this JVM acquired it
     * meanwhile, there is no fault, only a long queue.
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
     * Counts a wait for the row after the front lock. If this JVM stalls, all its clients wait at the same time, which
     * counts as one wait.
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
