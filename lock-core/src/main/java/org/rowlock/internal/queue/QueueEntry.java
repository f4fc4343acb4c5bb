package org.rowlock.internal.queue;

import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockFront;

/**
 * The passage of one transaction through a {@link KeyQueue}. It enters, perhaps after a wait, and leaves once. {@link
 * #leave} is allowed in every state and does nothing a second time. A caller that leaves in {@code finally} therefore
 * frees every place.
 *
 * <p>The thread that created the entry enters and waits; another thread may {@link #wake} it. Any thread may leave an
 * entry that is inside.
 *
 * <p><b>Groups.</b> An entry may carry an <em>offer</em>: work that a thread inside can do for the waiting thread. A
 * holder inside {@linkplain #take takes} entries from the head of the queue. The thread of a taken entry waits,
 * regardless of timeouts and interrupts. The holder {@linkplain #complete completes} the entry, with a value or an
 * error, or {@linkplain #handBack hands it back}. An entry that was handed back waits at its former position, is not
 * taken again, and enters by itself. When the holder leaves, its remaining entries are handed back. If it has
 * {@linkplain #sent sent} their work, they end with an error instead, because the outcome is unknown.
 */
public final class QueueEntry {
    public enum State {
        /** Created, and not entered. */
        NEW,
        WAITING,
        /** Admitted to the server. */
        IN,
        /** Taken by a holder, which does its work. */
        TAKEN,
        /** Done by a holder; see {@link QueueEntry#served}. */
        SERVED,
        /** Ended without a place: the wait timed out, or the thread was interrupted or woken. */
        OVER,
        FULL,
        LEFT
    }

    /** The result of an offer that a holder has done. */
    public record Served(@Nullable Object value, @Nullable Throwable failure) {
        /** An outcome that is created in advance, because a holder that is out of memory could not create one. */
        static final Served UNKNOWN =
                new Served(null, new IllegalStateException("The holder has left without an outcome"));
    }

    final KeyQueue queue;
    final boolean shared;
    final Thread thread = Thread.currentThread();

    // The fields from here on are written under the lock of the queue.
    volatile State state = State.NEW;

    @Nullable
    Object offer;

    /** The entries that this one has taken. */
    List<QueueEntry> members = List.of();

    volatile boolean sent;

    /** Whether it has a place. While no connection is available, entries are inside without one. */
    boolean counted;

    volatile long sinceNanos = System.nanoTime();
    long sentNanos;
    int inFront;
    long lockedNanos;

    @Nullable
    Front front;

    @Nullable
    Served served;

    QueueEntry(KeyQueue queue, boolean shared, @Nullable Object offer) {
        this.queue = queue;
        this.shared = shared;
        this.offer = offer;
    }

    /** Enters without waiting, if there is room and no entry waits. */
    public boolean tryEnter() {
        return queue.tryEnter(this, false);
    }

    /** Enters without waiting, if no transaction inside would make it wait at the server either. */
    public boolean tryEnterFree() {
        return queue.tryEnter(this, !shared);
    }

    /** Enters regardless of room, so that it is counted. */
    public void pass() {
        synchronized (queue.lock) {
            queue.admit(this);
        }
    }

    /**
     * Waits for a place. An interrupt ends the wait, and stays set.
     *
     * @param mostNanos the longest wait; {@link Long#MAX_VALUE} for no bound
     * @param mostWaiting how many may wait in the queue, including this entry
     * @return IN, SERVED, OVER or FULL
     */
    public State enter(long mostNanos, int mostWaiting) {
        return queue.enter(this, mostNanos, mostWaiting);
    }

    /** Ends the wait, even before it begins. Returns false if there is none to end. */
    public boolean wake() {
        return queue.giveUp(this);
    }

    /**
     * Records that its statement is sent to the server now. Until now it may have waited for the pool, and not for the
     * key.
     */
    public void begin() {
        sentNanos = System.nanoTime();
    }

    public void leave() {
        queue.leave(this);
    }

    /** Records the server's answer, and leaves the place. See {@link #locked}. */
    public void answered(boolean got, boolean holds) {
        if (got) {
            locked(holds);
        }
        leave();
    }

    /**
     * Records that the server has granted the lock.
     *
     * @param holds whether it is held until {@link #released}; false if the same statement has released it
     */
    public void locked(boolean holds) {
        synchronized (queue.lock) {
            if (!isAlone()) {
                return;
            }
            long now = System.nanoTime();
            long nanos = now - sentNanos;
            queue.relief.begin(now);
            if (!holds) {
                // One statement has acquired and released the lock, as did those in front of it.
                queue.policy.held(nanos / (inFront + 1), true);
                return;
            }
            lockedNanos = now;
            // If places are left at the answer, the holder is not among those inside.
            int own = inFront + (queue.isKept() ? 0 : 1);
            queue.policy.waited(nanos, own, front == null ? -1 : front.waitedNanos);
        }
    }

    /** Whether it has a place, and is exclusive. */
    private boolean isAlone() {
        return state == State.IN && counted && !shared;
    }

    void stayed(long now, boolean crowded) {
        if (queue.isKept() && !shared) {
            queue.policy.stayed(now - sentNanos, crowded);
            release(now, true);
        }
    }

    /** Records that the lock is released; {@code exact} is false if that may have happened a while ago. */
    public void released(boolean exact) {
        synchronized (queue.lock) {
            release(System.nanoTime(), exact);
        }
    }

    private void release(long now, boolean exact) {
        if (lockedNanos != 0) {
            queue.policy.held(now - lockedNanos, exact);
            lockedNanos = 0;
        }
    }

    public boolean isIn() {
        return state == State.IN;
    }

    public boolean isThere() {
        State now = state;
        return now == State.WAITING || now == State.TAKEN || now == State.IN;
    }

    public long ageNanos() {
        return Math.max(0, System.nanoTime() - sinceNanos);
    }

    /** Whether other transactions contend for the key, in this JVM or, as far as is known, in others. */
    public boolean isWanted() {
        synchronized (queue.lock) {
            return queue.wanting() > (state == State.IN && counted ? 1 : 0)
                    || (!queue.isKept() && inFront > 0)
                    || queue.policy.isWantedElsewhere();
        }
    }

    /**
     * Returns the advisory key to send in front of its lock, or null for none. It is called once, when the entry is in.
     */
    public @Nullable Front front(LockFront how) {
        synchronized (queue.lock) {
            boolean always = how == LockFront.ALWAYS;
            long most = how != LockFront.NEVER && isAlone() ? queue.policy.frontNanos(always) : 0;
            front = most == 0 ? null : new Front(this, most, !always && queue.policy.isFrontTimed());
            return front;
        }
    }

    /**
     * Takes waiting entries from the head of the queue, in their order, up to the first that does not join. A shared
     * entry, an entry without an offer, and one whose offer the predicate refuses do not join. No entry is overtaken.
     * This entry must be inside and exclusive.
     *
     * @param most how many entries to take
     * @param joins whether an offer is taken; it must be quick, because the queue is blocked meanwhile
     * @param rounded how many entries to take if the given number of them join
     */
    public List<QueueEntry> take(int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        return queue.take(this, most, joins, rounded);
    }

    public List<QueueEntry> take(int most, Predicate<Object> joins) {
        return take(most, joins, IntUnaryOperator.identity());
    }

    /** Offers work, before the entry enters. */
    public void offer(@Nullable Object work) {
        offer = work;
    }

    /** Returns the offered work; null if there is none, or it was handed back. */
    public @Nullable Object offer() {
        return offer;
    }

    /** Records that its work may be done from now on, until it is completed or handed back. */
    public void sent() {
        sent = true;
    }

    public void complete(@Nullable Object value) {
        queue.end(this, new Served(value, null));
    }

    public void fail(Throwable failure) {
        queue.end(this, new Served(null, failure));
    }

    /** Hands the work back to its thread. The entry's own bound of the wait applies again, and so do interrupts. */
    public void handBack() {
        queue.end(this, null);
    }

    public @Nullable Served served() {
        return state == State.SERVED ? served : null;
    }

    void enters() {
        sentNanos = System.nanoTime();
        sinceNanos = sentNanos;
        state = State.IN;
    }

    /**
     * Lets entries skip the wait while no connection is available, so that they do not wait for each other's timeouts.
     */
    public void open(boolean skipsWait) {
        queue.open(skipsWait);
    }
}
