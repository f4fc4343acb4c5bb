package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides whether the next lock of a key has a front lock. The decision depends on how many transactions were granted
 * the key before each earlier lock. This number is the {@linkplain AdaptivePolicy crowd} of a lock, and is estimated
 * from times. All methods are called under the lock of the queues. The policy has three states.
 *
 * <p>PLAIN: locks have no front lock, except for probes. A lock after a large crowd that consists mostly of
 * transactions of other JVMs is a probe. If other JVMs already use front locks, a lock without a front lock overtakes
 * their queue and therefore measures no crowd. To detect this case, one lock in {@link #EVERY} is a probe too. A JVM
 * has one probe at a time. Therefore a probe that waits for the front lock has found other JVMs with Rowlock, and the
 * state becomes FRONT. If crowds stay large and no probe waits, the crowd consists of clients without Rowlock, and the
 * state becomes OPEN.
 *
 * <p>FRONT: each lock has a front lock. Front locks are granted in the order of arrival, so the measured crowd is
 * accurate. After a few consecutive small crowds the state becomes PLAIN.
 *
 * <p>OPEN: locks have no front lock, because front locks do not help. Other transactions lock the row without Rowlock
 * and would overtake every queue. After a time, the state becomes PLAIN. If no other JVM uses Rowlock, there are probes
 * until then. Otherwise transactions that held a front lock still had to wait for the row. All JVMs then return to
 * PLAIN at the same time of day. If one JVM returned to FRONT alone, transactions of the other JVMs would still
 * overtake its transactions.
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
     * A crowd is large only if it is at least this many times as large as its part in this JVM. If only one JVM locks
     * the key, the ratio is 1, and the JVM's own queue suffices.
     */
    private static final int TIMES_OWN = 2;

    /**
     * How many consecutive large crowds lead to OPEN. Only those are counted whose transaction began to wait after the
     * previous large crowd was measured.
     */
    private static final int LARGE_TO_OPEN = 3;

    /**
     * The ratio {@link #TIMES_OWN} for these crowds. The value is higher, because a busy machine lengthens waits too.
     */
    private static final int TIMES_OWN_TO_OPEN = 4;

    /**
     * The divisor for the smallest part of a probe's time that must be a wait for the front lock. A busy server delays
     * every answer, and such a delay must not count as a wait.
     */
    private static final int PART_OF_PROBE = 3;

    /** The time after which a probe without an answer is regarded as never sent. */
    private static final long PROBE_MILLIS = 4_000;

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
    private static final long FIRST_PERIOD_ALONE_MILLIS = 4_000;
    private static final long MOST_PERIOD_MILLIS = 60_000;

    /** The time without OPEN after which earlier periods of OPEN are ignored. */
    private static final long CALM_MILLIS = 20_000;

    /**
     * The longest wait for a front lock. A transaction that stops waiting overtakes all transactions that still wait
     * for the front lock. Therefore the bound is long, and is reached only if there is a fault.
     */
    private static final long BOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier millis;
    private State state = State.PLAIN;

    /** Whether other JVMs have been found to use front locks since the state was PLAIN. */
    private boolean hasPeers;

    /** How many consecutive small crowds there were in FRONT. */
    private int inRow;

    /** How many consecutive large crowds there were in PLAIN. */
    private int large;

    /** Whether the last transaction waited for transactions of other JVMs. */
    private boolean othersSeen;

    /** Whether the crowd of the last transaction was large. */
    private boolean largeSeen;

    private int plainOnes;
    private long probeUntilMillis;
    private int frontOnes;
    private long grantedMillis = Long.MIN_VALUE;

    private int score;
    private long scoredMillis;
    private long countedMillis = Long.MIN_VALUE;

    private long openUntilMillis;
    private long periodMillis = FIRST_PERIOD_MILLIS / 2;

    /** The last time when the state became FRONT, or PLAIN after OPEN. */
    private long closedMillis;

    /** @param millis returns the time of day, which is about the same in all JVMs; differences reduce only speed */
    FrontPolicy(LongSupplier millis) {
        this.millis = millis;
    }

    /** Returns how long the next transaction may wait for a front lock; 0 for no front lock. */
    long mostNanos(boolean always) {
        boolean isOpen = isOpen();
        boolean fronts = state == State.FRONT || (always && !isOpen) || (!(isOpen && hasPeers) && isProbe());
        return fronts ? BOUND_NANOS : 0;
    }

    private boolean isProbe() {
        boolean probes = othersSeen && (largeSeen || ++plainOnes % EVERY == 0);
        long now = probes ? millis.getAsLong() : 0;
        if (!probes || now < probeUntilMillis) {
            return false;
        }
        probeUntilMillis = now + PROBE_MILLIS;
        return true;
    }

    boolean isTimed() {
        return state != State.FRONT || score > 0 || frontOnes++ % EVERY == 0;
    }

    boolean isOpen() {
        if (state == State.OPEN && millis.getAsLong() >= openUntilMillis) {
            plain();
        }
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
        boolean isLarge = nanos >= LEAST_NANOS && crowd >= CROWD && crowd >= TIMES_OWN * own;
        largeSeen = isLarge;
        long now = inFront || isLarge ? millis.getAsLong() : 0;
        boolean isProbe = inFront && probeUntilMillis > 0;
        if (inFront) {
            grantedMillis = now;
            probeUntilMillis = 0;
        }
        long keyNanos = nanos - rowNanos;
        boolean findsPeers = isProbe
                && !hasPeers
                && (isLarge || isOpen())
                && keyNanos >= Math.max(LEAST_NANOS, nanos / PART_OF_PROBE)
                && crowd * keyNanos / nanos >= BEHIND;
        if (state == State.FRONT) {
            if (inFront && isRow(crowd < Math.max(SMALL, TIMES_OWN_TO_LEAVE * own), TO_PLAIN)) {
                plain();
            } else if (inFront && !Double.isNaN(rowHolds)) {
                count(rowHolds >= BEHIND, now, now - TimeUnit.NANOSECONDS.toMillis(rowNanos));
            }
        } else if (findsPeers) {
            front();
        } else if (state == State.PLAIN && inFront == isProbe) {
            // Any other front lock was required by the settings, or was sent in an earlier state.
            countLarge(isLarge && crowd >= TIMES_OWN_TO_OPEN * own, now, now - TimeUnit.NANOSECONDS.toMillis(nanos));
        }
    }

    /** Counts a large crowd. If this JVM stalls, all its clients wait at the same time, which counts as one crowd. */
    private void countLarge(boolean isLarge, long now, long begunMillis) {
        if (!isLarge) {
            large = 0;
        } else if (large == 0 || begunMillis >= countedMillis) {
            countedMillis = now;
            if (++large == LARGE_TO_OPEN) {
                open(now, FIRST_PERIOD_ALONE_MILLIS);
            }
        }
    }

    /**
     * Records that the front lock could not be acquired in time. If other transactions of this JVM acquired the front
     * lock during the wait, there is no fault, but only a long queue.
     */
    void givenUp(long nanos) {
        long now = millis.getAsLong();
        if (grantedMillis < now - TimeUnit.NANOSECONDS.toMillis(nanos)) {
            hasPeers = true;
            open(now, FIRST_PERIOD_MILLIS);
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
                open(now, FIRST_PERIOD_MILLIS);
            }
        }
    }

    private void plain() {
        closedMillis = state == State.OPEN ? millis.getAsLong() : closedMillis;
        state = State.PLAIN;
        hasPeers = false;
        inRow = 0;
        large = 0;
    }

    private void front() {
        state = State.FRONT;
        hasPeers = true;
        closedMillis = millis.getAsLong();
        inRow = 0;
        score = 0;
    }

    private void open(long now, long firstPeriodMillis) {
        periodMillis =
                now - closedMillis >= CALM_MILLIS ? firstPeriodMillis : Math.min(MOST_PERIOD_MILLIS, 2 * periodMillis);
        openUntilMillis = hasPeers ? (now / periodMillis + 1) * periodMillis : now + periodMillis;
        state = State.OPEN;
        inRow = 0;
    }
}
