package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides whether the next lock of a key has a front lock. The decision depends on the <em>crowd</em> of earlier locks:
 * the length of the queue at the server, which {@link AdaptivePolicy} estimates. All methods are called under the lock
 * of the queues. The policy has three states.
 *
 * <p>PLAIN: locks have no front lock, unless front locks are configured. If crowds are large and consist mostly of
 * transactions of other JVMs, the state becomes FRONT. If other JVMs already use front locks, a lock without a front
 * lock is granted before their queue, and its crowd seems small. To detect this case, a <em>probe</em> has a front
 * lock. If the last lock waited for transactions of other JVMs, the next lock may be a probe. One of {@link #EVERY}
 * such locks is a probe.
 *
 * <p>FRONT: each lock has a front lock. Front locks are granted in the order of arrival, so the estimated crowd is
 * accurate. After a few consecutive small crowds the state becomes PLAIN.
 *
 * <p>OPEN: locks have no front lock, because front locks have not helped or could not be acquired in time. Transactions
 * with a front lock usually still had to wait for the row, because other transactions locked the row without a front
 * lock. OPEN ends when the time of day is a multiple of the period of OPEN, so that JVMs return to FRONT together. If
 * one JVM returned alone, transactions of the other JVMs would still lock the row first. After some consecutive small
 * crowds, OPEN ends earlier, and the state becomes PLAIN.
 */
final class FrontPolicy {
    private enum State {
        PLAIN,
        FRONT,
        OPEN
    }

    /** The smallest crowd for which a front lock costs less than the wait for the row. */
    private static final double CROWD = 8;

    /** The shortest wait that leads to FRONT. Shorter waits may be caused by a busy processor. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * The smallest ratio that leads to FRONT: the crowd divided by the number of its transactions in this JVM. If only
     * one JVM locks the key, the ratio is 1, and the queue of that JVM suffices.
     */
    private static final int TIMES_OWN = 2;

    /**
     * The number of consecutive large crowds that leads to FRONT; for a probe, one large crowd suffices. The number is
     * small, because a JVM with few clients locks a contended row only a few times per second.
     */
    private static final int TO_FRONT = 2;

    private static final double SMALL = 3;
    private static final double TIMES_OWN_TO_LEAVE = 1.2;
    private static final double NONE = 2;

    private static final int TO_PLAIN = 8;

    /**
     * In PLAIN, one of this many locks that may be a probe is a probe. In FRONT, the server times the wait of one of
     * this many locks, or of every lock while waits for the row are long.
     */
    private static final int EVERY = 8;

    /**
     * A wait for the row after the front lock is called long if it takes at least this many holds. A long wait means
     * that other transactions have locked the row without a front lock.
     */
    private static final double BEHIND = 4;

    /**
     * The number of short waits for the row that cancels one long wait. The number is more than one, because some waits
     * are short by chance even if other transactions contend for the row.
     */
    private static final int LONG_COUNTS = 2;

    private static final int TO_OPEN = 12;

    /**
     * The time for which long waits for the row must continue before the state becomes OPEN. When many JVMs start at
     * the same time, the first JVM uses front locks seconds before the last JVM does. In these seconds, JVMs without
     * front locks cause long waits that end by themselves.
     */
    private static final long TO_OPEN_MILLIS = 8_000;

    private static final long FIRST_PERIOD_MILLIS = 15_000;
    private static final long MOST_PERIOD_MILLIS = 60_000;

    /** The time in FRONT after which the next period of OPEN is short again. */
    private static final long CALM_MILLIS = 20_000;

    /**
     * The longest wait for a front lock. A transaction that gives up may lock the row before transactions that still
     * wait for the front lock. The bound is therefore so long that usually only a fault leads to a wait of this length.
     */
    private static final long BOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier millis;
    private State state = State.PLAIN;

    /** The number of consecutive crowds that were a reason to change the state. */
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
     * @param crowd the estimated crowd of the lock; 0 if it is unknown
     * @param own the number of transactions of this JVM in the crowd
     * @param rowHolds the wait for the row after the front lock, as a multiple of the time of one hold; NaN if the wait
     *     is unknown, or if the transaction did not wait for the front lock
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
     * Records that the front lock could not be acquired in time. If another transaction of this JVM acquired the front
     * lock during the wait, the queue was only long. Otherwise there is a fault, and the state becomes OPEN.
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
     * Counts a long or short wait for the row after the front lock. Long waits at the same time count as one wait,
     * because the cause may be the same, such as a pause of this JVM.
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
