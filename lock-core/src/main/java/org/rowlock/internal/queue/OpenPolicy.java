package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides whether the queue of a key is <em>open</em>, because many clients without Rowlock wait for the row. If the
 * queue were narrow, or had front locks, few transactions of this JVM would wait among these clients. The server would
 * then rarely grant the row to them. An open {@code ROW} queue admits all transactions. Some locks <em>ask</em> the
 * server how many such clients wait. All methods are called under the lock of the queues. The policy has three states.
 *
 * <p>CLOSED: the queue is narrow. Clients without Rowlock may be started at any time, so while {@link
 * AdaptivePolicy#FEW} transactions of this JVM contend for the key, some locks ask again. If transactions of other JVMs
 * begin to contend, a lock asks at once, then after one second, two, four, and so on, up to {@link #VALID_NANOS}.
 * Otherwise a lock asks after {@link #VALID_NANOS}.
 *
 * <p>UNCOUNTED: the queue is open, because no policy has {@linkplain OtherClients#counted counted} few clients yet. The
 * state begins with the first such contention. Clients without Rowlock that started earlier may wait already.
 *
 * <p>OPEN: the queue is open, because many clients wait. About one lock per second asks again. If no lock asks for a
 * while, the state becomes CLOSED.
 */
final class OpenPolicy {
    private enum State {
        CLOSED,
        UNCOUNTED,
        OPEN
    }

    /** The smallest number of waiting clients without Rowlock that leads to OPEN. */
    private static final int CLIENTS = 5;

    /** The time between questions to the server. For each question, the server visits all its locks. */
    private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The time after which an answer with few clients is checked by another question. The first answer may be too
     * small, because many clients briefly wait for no lock while the row passes to the next transaction.
     */
    static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final int CHECKS = 2;

    /** Half of the time for which the first count of few clients is valid; each further count doubles the time. */
    private static final long FIRST_NANOS = ASK_NANOS / 2;

    /** How long an answer with few clients is valid at most. */
    private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The estimated number of contending transactions in other JVMs that may be those of clients without Rowlock. */
    private static final double FOREIGN = 2;

    /** With a smaller estimate, no transaction of another JVM contends. */
    private static final double NONE = 1;

    /**
     * How long an answer may be overdue before an open queue is closed. An open queue is justified only while new
     * answers arrive.
     */
    static final long OVERDUE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanos;
    private final OtherClients clients;
    private State state = State.CLOSED;
    private int fewAnswers;
    private long nextAskNanos;

    /** When the last answer arrived, or when UNCOUNTED began. */
    private long sinceNanos;

    /** When few clients were last counted. */
    private long fewNanos;

    /** How long that count is valid while transactions of other JVMs contend. */
    private long validNanos = FIRST_NANOS;

    /**
     * @param nanos returns a time that never decreases
     * @param clients shared by all policies of the same {@link KeyQueues}
     */
    OpenPolicy(LongSupplier nanos, OtherClients clients) {
        this.nanos = nanos;
        this.clients = clients;
        this.nextAskNanos = nanos.getAsLong();
        this.sinceNanos = nextAskNanos;
        this.fewNanos = nextAskNanos - VALID_NANOS;
    }

    /** Whether the time is past, according to the clock of the policies. */
    boolean isPast(long time) {
        return nanos.getAsLong() - time >= 0;
    }

    boolean isOpen() {
        // Another policy may have counted few clients since this state began.
        if (state != State.CLOSED
                && (isPast(sinceNanos + ASK_NANOS + OVERDUE_NANOS) || (state == State.UNCOUNTED && clients.counted))) {
            enter(State.CLOSED);
        }
        return state != State.CLOSED;
    }

    /** Whether many clients without Rowlock wait for the row, according to the last answer. */
    boolean isBesideMany() {
        return isOpen() && state == State.OPEN;
    }

    /**
     * Whether the caller must ask the server before the next lock. If the queue is closed, returns true only if several
     * transactions of this JVM contend for the key, because a question costs a round trip. The queue may now be open.
     *
     * @param foreign the estimated number of transactions in other JVMs that contend for the key
     * @param overtaken whether transactions of other JVMs lock the row before those that hold the front lock
     */
    boolean asks(int wanting, double foreign, boolean overtaken) {
        boolean crowded = wanting >= AdaptivePolicy.FEW;
        if (crowded && state == State.CLOSED && !clients.counted && isPast(fewNanos + VALID_NANOS)) {
            enter(State.UNCOUNTED);
            sinceNanos = nanos.getAsLong();
            // Clients that have started at the same time do not wait yet.
            nextAskNanos = sinceNanos + CHECK_NANOS;
        }
        // The first comparison spares most locks a reading of the clock.
        if (validNanos > FIRST_NANOS && foreign < NONE && isPast(fewNanos + validNanos)) {
            validNanos = FIRST_NANOS;
        }
        long valid = foreign < FOREIGN ? VALID_NANOS : validNanos;
        boolean due = isOpen() || (overtaken && wanting > 1) || (crowded && isPast(fewNanos + valid));
        boolean asks = due && isPast(nextAskNanos) && clients.mayAsk();
        if (asks) {
            // Few clients are counted only if two answers agree, and the first answer is not old.
            fewAnswers = isPast(sinceNanos + OVERDUE_NANOS) ? 0 : fewAnswers;
            nextAskNanos = nanos.getAsLong() + ASK_NANOS;
        }
        return asks;
    }

    /**
     * Records the server's answer. Returns whether the policy has decided; if not, another lock asks soon.
     *
     * @param waiting how many clients without Rowlock wait for the most contended row of the table; negative if unknown
     */
    boolean answered(int waiting) {
        if (waiting < 0 && state == State.OPEN) {
            fewAnswers = 0;
            return false;
        }
        sinceNanos = nanos.getAsLong();
        if (waiting >= CLIENTS) {
            enter(State.OPEN);
            nextAskNanos = sinceNanos + ASK_NANOS;
            validNanos = FIRST_NANOS;
            return true;
        }
        if (++fewAnswers < CHECKS) {
            nextAskNanos = sinceNanos + CHECK_NANOS;
            return false;
        }
        enter(State.CLOSED);
        fewNanos = sinceNanos;
        validNanos = Math.min(VALID_NANOS, 2 * validNanos);
        clients.counted |= waiting >= 0;
        return true;
    }

    private void enter(State next) {
        state = next;
        fewAnswers = 0;
    }
}
