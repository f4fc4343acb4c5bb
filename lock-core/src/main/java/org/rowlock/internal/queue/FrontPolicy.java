package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueuePolicy.Question;

/**
 * Decides whether the next lock of a key has a {@linkplain Front front lock}. The decision depends on the
 * <em>crowd</em> of earlier locks: the length of the queue at the server, which {@link AdaptivePolicy} estimates. While
 * the queue of the key is {@linkplain OpenPolicy open}, locks have no front lock, and crowds are not evaluated. All
 * methods are called under the lock of the queues. The policy has two states.
 *
 * <p>Crowds are estimates, and a busy processor can make the crowd of one JVM seem large. Unless front locks are
 * configured, locks therefore have front locks only while the server has {@linkplain OtherClients#contend shown} that
 * other JVMs contend. After a long wait a lock asks, unless its transaction is alone: without contention, a lock takes
 * one round trip.
 *
 * <p>NEW: no crowd has decided yet. If the server has shown other JVMs, locks have a front lock. Otherwise a JVM with
 * few clients would measure the crowds of its keys one after another, and a fleet would start slowly. After {@link
 * #TO_PLAIN_AT_FIRST} small crowds of such locks the state becomes PLAIN. Large crowds lead to FRONT.
 *
 * <p>PLAIN: locks have no front lock, unless front locks are configured. If crowds are large, and at least half of
 * their transactions belong to other JVMs, the state becomes FRONT. If other JVMs already use front locks, a lock
 * without a front lock overtakes their transactions, so its crowd seems small. To detect this case, some locks are
 * <em>probes</em>, which have a front lock. A lock may be a probe if the lock before it waited for transactions of
 * other JVMs. One in {@link #EVERY} such locks is a probe.
 *
 * <p>FRONT: each lock has a front lock. Front locks are granted in the order of arrival, so the estimated crowd is
 * accurate. After {@link #TO_PLAIN} consecutive small crowds the state becomes PLAIN. If transactions that hold the
 * front lock still wait long for the row, other transactions lock the row without a front lock. The next lock then asks
 * the server how many clients without Rowlock wait. If they are many, the state becomes PLAIN, and the queue opens.
 */
final class FrontPolicy {
    private enum State {
        NEW,
        PLAIN,
        FRONT
    }

    /** The smallest crowd that leads to FRONT. With a smaller crowd, a front lock costs more than it saves. */
    private static final double CROWD = 8;

    /** The shortest wait that leads to FRONT. Shorter waits may be caused by a busy processor. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * The smallest ratio that leads to FRONT: the crowd divided by the number of its transactions in this JVM. If only
     * one JVM locks the key, the ratio is 1, and the queue of that JVM suffices.
     */
    private static final int TIMES_OWN = 2;

    /**
     * The number of consecutive large crowds that leads to FRONT. One large crowd suffices if the lock has a front
     * lock, or if other JVMs are known to contend. The number is small, because a JVM with few clients locks a
     * contended row only a few times per second.
     */
    private static final int TO_FRONT = 2;

    private static final double SMALL = 3;
    private static final double TIMES_OWN_TO_LEAVE = 1.2;
    private static final double NONE = 2;

    private static final int TO_PLAIN = 8;
    private static final int TO_PLAIN_AT_FIRST = 2;

    /** The interval between probes in PLAIN, counted in locks that may be a probe. */
    private static final int EVERY = 8;

    /**
     * A wait for the row is long if it takes at least this many times as long as a hold. A long wait after the front
     * lock means that other transactions have locked the row without a front lock.
     */
    private static final double BEHIND = 4;

    /** The shortest wait for the row that is evaluated even if the transaction has hardly waited for the front lock. */
    static final long VERY_LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * The number of consecutive long waits after which a lock asks the server. One wait may be long because of a stall,
     * or because other JVMs have just started and do not use front locks yet.
     */
    private static final int LONG_WAITS = 2;

    /**
     * The longest wait for a front lock. A transaction that gives up may lock the row before transactions that still
     * wait for the front lock. The bound is therefore so long that usually only a fault leads to a wait of this length.
     */
    static final long BOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanos;
    private final OpenPolicy open;
    private final OtherClients clients;
    private State state = State.NEW;

    /** How many crowds in succession were a reason to change the state. */
    private int inRow;

    /** Whether the last transaction waited for transactions of other JVMs. */
    private boolean othersSeen;

    private int plainOnes;
    private long grantedNanos;
    private int longWaits;

    /** Whether front locks require that the server has shown other JVMs; the configuration of the last lock. */
    private boolean requiresOthers;

    private long pausedUntilNanos;

    /** @param nanos returns a time that never decreases */
    FrontPolicy(LongSupplier nanos, OpenPolicy open, OtherClients clients) {
        this.nanos = nanos;
        this.open = open;
        this.clients = clients;
        this.pausedUntilNanos = nanos.getAsLong();
        this.grantedNanos = pausedUntilNanos - 1;
    }

    long mostNanos(boolean always) {
        boolean isProbe = othersSeen && plainOnes % EVERY == EVERY - 1;
        plainOnes += othersSeen ? 1 : 0;
        requiresOthers = !always;
        boolean fronts = !open.isOpen()
                && (always || contend())
                && (state == State.FRONT
                        || ((always || isProbe || state == State.NEW) && open.isPast(pausedUntilNanos)));
        return fronts ? BOUND_NANOS : 0;
    }

    private boolean contend() {
        return clients.shown && clients.contend();
    }

    /** Returns what the caller must ask the server before the next lock, or null. */
    @Nullable
    Question asks(int wanting, boolean grouped, double foreign) {
        if (!grouped && open.asks(wanting, foreign, longWaits >= LONG_WAITS)) {
            return Question.WITHOUT_ROWLOCK;
        }
        return wanting > 1 && requiresOthers && clients.mayAskForOthers() ? Question.OTHER_JVMS : null;
    }

    /** @param answer see {@link OpenPolicy#answered} or {@link OtherClients#answered} */
    void answered(Question question, int answer) {
        if (question == Question.OTHER_JVMS) {
            if (!clients.answered(answer)) {
                enter(State.NEW);
            }
        } else if (open.answered(answer)) {
            enter(open.isOpen() ? State.PLAIN : state);
        }
    }

    private void enter(State next) {
        state = next;
        longWaits = 0;
        inRow = 0;
    }

    /**
     * @param crowd the estimated crowd of the lock; 0 if it is unknown
     * @param own the number of transactions of this JVM in the crowd
     * @param rowHolds the wait for the row after the front lock, as a multiple of the time of one hold; NaN if this
     *     wait must not be evaluated
     */
    void locked(boolean inFront, double crowd, int own, long waitedNanos, double rowHolds) {
        othersSeen = crowd >= NONE && crowd > own;
        grantedNanos = inFront ? nanos.getAsLong() : grantedNanos;
        if (open.isOpen()) {
            return;
        }
        boolean isLong = waitedNanos >= LEAST_NANOS;
        boolean large = isLong && crowd >= CROWD && crowd >= TIMES_OWN * own;
        boolean small = crowd < Math.max(SMALL, TIMES_OWN_TO_LEAVE * own);
        if (large || (isLong && crowd == 0)) {
            clients.suspected = true;
        }
        if (state != State.FRONT) {
            boolean suffices = inFront ? large : (isRow(large, TO_FRONT) || (large && contend()));
            if (suffices && open.isPast(pausedUntilNanos)) {
                enter(State.FRONT);
            } else if (state == State.NEW && inFront && isRow(small && crowd != 0, TO_PLAIN_AT_FIRST)) {
                enter(State.PLAIN);
            }
        } else if (inFront) {
            if (isRow(small, TO_PLAIN)) {
                enter(State.PLAIN);
            } else if (!Double.isNaN(rowHolds)) {
                longWaits = rowHolds >= BEHIND ? longWaits + 1 : 0;
            }
        }
    }

    private boolean isRow(boolean another, int most) {
        inRow = another ? inRow + 1 : 0;
        return inRow >= most;
    }

    /**
     * Records that the front lock could not be acquired in time. If another transaction of this JVM
     * acquired the front lock during the wait, the queue for the front lock was merely long. Otherwise there is a
     * fault, and the next locks have no front lock for a while.
     */
    void givenUp(long waitedNanos) {
        if (open.isPast(grantedNanos + waitedNanos + 1)) {
            enter(State.PLAIN);
            pausedUntilNanos = nanos.getAsLong() + BOUND_NANOS;
        }
    }
}
