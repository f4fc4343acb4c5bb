package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides whether the next lock of a key has a front lock. The decision depends on how many transactions were granted
 * the key before each earlier lock. This number is the {@linkplain AdaptivePolicy crowd} of a lock, and is estimated
 * from times. All methods are called under the lock of the queues. The policy has three states.
 *
 * <p>PLAIN: locks have no front lock. If crowds are large and consist mostly of transactions of other JVMs, the state
 * becomes FRONT. If other JVMs already use front locks, a lock without a front lock overtakes their queue and therefore
 * measures no crowd. To detect this case, one lock in {@link #EVERY} has a front lock; such a lock is called a probe.
 *
 * <p>FRONT: each lock has a front lock. Front locks are granted in the order of arrival, so the measured crowd is
 * accurate. After a few consecutive small crowds the state becomes PLAIN.
 *
 * <p>OPEN: locks have no front lock, because front locks have not helped. Transactions that held a front lock still had
 * to wait for the row, because other transactions locked the row without a front lock. All JVMs return to FRONT at the
 * same time of day. If one JVM returned alone, transactions of the other JVMs would still overtake its transactions.
 */
final class FrontPolicy {
    private enum State {
        PLAIN,
        FRONT,
        OPEN
    }

    /** The smallest crowd for which waiting in the server's queue for the row costs more than a front lock. */
    private static final double CROWD = 8;

    /** The shortest wait that is evaluated. The cause of a shorter wait may be a busy processor rather than a lock. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * The smallest ratio of the whole crowd to the part of the crowd in this JVM that leads to FRONT. If only one JVM
     * locks the key, the ratio is 1, and the JVM's own queue suffices.
     */
    private static final int TIMES_OWN = 2;

    /**
     * How many consecutive large crowds lead to FRONT. The number is small, because a JVM with few clients locks a
     * contended row only a few times per second.
     */
    private static final int TO_FRONT = 2;

    private static final double SMALL = 3;
    private static final double TIMES_OWN_TO_LEAVE = 1.2;
    private static final double NONE = 2;

    /** How many consecutive small crowds lead to PLAIN. */
    private static final int TO_PLAIN = 8;

    /** The interval between probes in PLAIN, and between locks that the server times in FRONT, as a number of locks. */
    private static final int EVERY = 8;

    /**
     * The longest wait for the row after the front lock, as a multiple of the time of one hold. A longer wait means
     * that other transactions have locked the row without a front lock.
     */
    private static final double BEHIND = 4;

    /**
     * How many short waits for the row offset one long wait. The number is more than one, because some waits are short
     * by chance even if other transactions contend for the row.
     */
    private static final int LONG_COUNTS = 2;

    private static final int TO_OPEN = 12;

    /**
     * How long the long waits for the row must continue before the state becomes OPEN. When many JVMs start at the same
     * time, the first JVM uses front locks seconds before the last JVM does. Until then, transactions of the other JVMs
     * overtake the transactions of the first JVM.
     */
    private static final long TO_OPEN_MILLIS = 8_000;

    private static final long FIRST_PERIOD_MILLIS = 15_000;
    private static final long MOST_PERIOD_MILLIS = 60_000;

    /** The time in FRONT after which earlier periods of OPEN are ignored. */
    private static final long CALM_MILLIS = 20_000;

    /**
     * The longest wait for a front lock. A transaction that stops waiting overtakes all transactions that still wait
     * for the front lock. Therefore the bound is long, and is reached only if there is a fault.
     */
    private static final long BOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier millis;
    private State state = State.PLAIN;

    /** How many consecutive crowds have been a reason to change the state. */
    private int inRow;

    /** Whether the last transaction waited for transactions of other JVMs. */
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

    /** @param millis returns the time of day, which is about the same in all JVMs; differences reduce only speed */
    FrontPolicy(LongSupplier millis) {
        this.millis = millis;
    }

    /** Returns how long the next transaction may wait for a front lock; 0 for no front lock. */
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
     * @param inFront whether the transaction had a front lock
     * @param crowd how many transactions were granted the key before this transaction; 0 if the number is unknown
     * @param own how many transactions of the crowd belong to this JVM
     * @param nanos the time from sending the statement to the server's answer
     * @param rowHolds the wait for the row after the front lock, as a multiple of the time of one hold; NaN if the wait
     *     is unknown, or if the transaction did not wait for the front lock
     * @param rowNanos how long the transaction waited for the row
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
     * Records that the front lock could not be acquired in time. If other transactions of this JVM acquired the front
     * lock during the wait, there is no fault, but only a long queue.
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
     * Counts a long or short wait for the row after the front lock. If this JVM stalls, all its clients wait at the
     * same time, and their waits are counted as one wait.
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
