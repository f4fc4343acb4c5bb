package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides whether the queue of a key is <em>open</em>, because many clients without Rowlock wait for the row. In a
 * narrow queue, or with front locks, few transactions of all JVMs with Rowlock would wait among these clients, and the
 * server would grant the row to them rarely. An open {@code ROW} queue admits all transactions. Some locks <em>ask</em>
 * the server how many such clients wait. All methods are called under the lock of the queues. The policy has three
 * states.
 *
 * <p>CLOSED: the queue is narrow. While {@link AdaptivePolicy#FEW} transactions of this JVM contend for the key, about
 * one lock per {@link #VALID_NANOS} asks, and one after other JVMs have begun to contend for the key. Clients without
 * Rowlock may be started at any time.
 *
 * <p>UNCOUNTED: the queue is open, because no policy has {@linkplain PlainClients#counted counted} few clients yet. The
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

    private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * How long a question may be overdue before an open queue is closed. An open queue is justified only while new
     * answers arrive.
     */
    static final long OVERDUE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanos;
    private final PlainClients clients;
    private State state = State.CLOSED;
    private int fewAnswers;
    private long nextAskNanos;
    private long validUntilNanos;

    /**
     * @param nanos returns a time that never decreases
     * @param clients shared by all policies of the same {@link KeyQueues}
     */
    OpenPolicy(LongSupplier nanos, PlainClients clients) {
        this.nanos = nanos;
        this.clients = clients;
        this.nextAskNanos = nanos.getAsLong();
        this.validUntilNanos = nextAskNanos;
    }

    private boolean has(long come) {
        return nanos.getAsLong() - come >= 0;
    }

    boolean isOpen() {
        // Another policy may have counted few clients since this state began.
        if (state != State.CLOSED
                && (has(nextAskNanos + OVERDUE_NANOS) || (state == State.UNCOUNTED && clients.counted))) {
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
     * @param suspected whether waits for the row indicate clients without Rowlock
     */
    boolean asks(int wanting, boolean suspected) {
        boolean crowded = wanting >= AdaptivePolicy.FEW;
        if (crowded && state == State.CLOSED && !clients.counted) {
            enter(State.UNCOUNTED);
            // Clients that have started at the same time do not wait yet.
            nextAskNanos = nanos.getAsLong() + CHECK_NANOS;
        }
        boolean due = isOpen() || (suspected && wanting > 1) || (crowded && has(validUntilNanos));
        boolean asks = due && has(nextAskNanos) && clients.mayAsk();
        if (asks) {
            nextAskNanos = nanos.getAsLong() + ASK_NANOS;
        }
        return asks;
    }

    /**
     * Records the server's answer. Returns whether the policy has decided; if not, another lock asks soon.
     *
     * @param waiting how many clients without Rowlock wait for the most contended row of the table
     */
    boolean answered(int waiting) {
        if (waiting >= CLIENTS) {
            enter(State.OPEN);
            return true;
        }
        if (++fewAnswers < CHECKS) {
            nextAskNanos = nanos.getAsLong() + CHECK_NANOS;
            return false;
        }
        enter(State.CLOSED);
        validUntilNanos = nanos.getAsLong() + VALID_NANOS;
        clients.counted = true;
        return true;
    }

    /** Records that transactions outside this JVM have begun to contend for the key, so the last count is too old. */
    void expire() {
        validUntilNanos = nanos.getAsLong();
    }

    private void enter(State next) {
        state = next;
        fewAnswers = 0;
    }
}
