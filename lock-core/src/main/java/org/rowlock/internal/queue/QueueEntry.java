package org.rowlock.internal.queue;

import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLocksBuilder.LockFront;

/**
 * One transaction's entry in a {@link KeyQueue}. An entry waits, is admitted, and leaves. {@link #leave} may be called
 * in every state, and a second call does nothing. A caller that calls {@code leave} in {@code finally} therefore never
 * blocks the queue.
 *
 * <p>Only the thread that created the entry waits. Another thread may {@link #wake} this thread. Any thread may call
 * {@link #leave} for an admitted entry.
 *
 * <p><b>Groups.</b> An entry may have an <em>offer</em>: work that the thread of an admitted entry, the
 * <em>leader</em>, can do for the waiting thread. A leader {@linkplain #take takes} entries from the head of the queue.
 * The thread of a taken entry ignores timeouts and interrupts while it waits. The leader {@linkplain #complete
 * completes} the entry with a value or an error, or {@linkplain #handBack gives it back}. An entry that was given back
 * waits at its former position, and no leader takes it again. When the leader leaves, it gives back all taken entries
 * that it has not completed. An entry whose work was already {@linkplain #sent sent} ends with an error instead,
 * because the outcome is unknown.
 */
public final class QueueEntry {
    public enum State {
        /** The entry was created, but neither waits nor is admitted. */
        NEW,
        WAITING,
        /** The entry is admitted, so its transaction may send its statements to the server. */
        IN,
        /** A leader has taken the entry, and does the work of its thread. */
        TAKEN,
        /** A leader has completed the entry; {@link QueueEntry#served} returns the result. */
        SERVED,
        /** The wait has ended without admission: the wait timed out, or the thread was interrupted or woken. */
        OVER,
        FULL,
        LEFT
    }

    /** The result of the work that a leader has done for another thread. */
    public record Served(@Nullable Object value, @Nullable Throwable failure) {
        /**
         * The result for an unknown outcome. It is created in advance, because a leader that is out of memory could not
         * create it.
         */
        static final Served UNKNOWN =
                new Served(null, new IllegalStateException("The holder has left without an outcome"));
    }

    final KeyQueue queue;
    final boolean shared;
    final Thread thread = Thread.currentThread();

    // The following fields are written only under the lock of the queue.
    volatile State state = State.NEW;

    @Nullable
    Object offer;

    /** The entries that this entry has taken. */
    List<QueueEntry> members = List.of();

    volatile boolean sent;

    /**
     * Whether the admitted entry occupies a place of the queue. While no connection is available, entries are admitted
     * without a place.
     */
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

    /** Enters without waiting if a place is free and no other entry waits. */
    public boolean tryEnter() {
        return queue.tryEnter(this, false);
    }

    /** Enters without waiting if the transaction would not have to wait at the server for an admitted entry. */
    public boolean tryEnterFree() {
        return queue.tryEnter(this, !shared);
    }

    /** Enters without waiting, even if no place is free. The entry then occupies a place beyond the width. */
    public void pass() {
        synchronized (queue.lock) {
            queue.admit(this);
        }
    }

    /**
     * Waits until the entry is admitted. An interrupt ends the wait, and the thread's interrupt flag stays set.
     *
     * @param mostNanos the longest wait; {@link Long#MAX_VALUE} for no bound
     * @param mostWaiting the largest number of entries that may wait in the queue, including this one
     * @return IN, SERVED, OVER or FULL
     */
    public State enter(long mostNanos, int mostWaiting) {
        return queue.enter(this, mostNanos, mostWaiting);
    }

    /** Ends the wait of the entry, even before the wait begins. Returns false if the entry no longer waits. */
    public boolean wake() {
        return queue.giveUp(this);
    }

    /**
     * Records that the entry's statement is now sent to the server. The time before may have been a wait for the pool,
     * and not for the key.
     */
    public void startServerWait() {
        sentNanos = System.nanoTime();
    }

    public void leave() {
        queue.leave(this);
    }

    /** Records the server's answer, and leaves the queue. For the parameters, see {@link #locked}. */
    public void endServerWait(boolean got, boolean holds) {
        if (got) {
            locked(holds);
        }
        leave();
    }

    /**
     * Records that the server has granted the lock.
     *
     * @param holds whether the lock is held until {@link #released}; false if the same flush has released it
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
                // This flush, and each flush before it in the queue, has acquired and released the lock.
                queue.policy.held(nanos / (inFront + 1), true);
                return;
            }
            lockedNanos = now;
            // In a ROW queue the lock holder has already left the queue, so its hold is counted in addition to the
            // entries in front.
            int own = inFront + (queue.isKept() ? 0 : 1);
            queue.policy.waited(nanos, own, front == null ? -1 : front.waitedNanos);
        }
    }

    /** Whether the entry is exclusive and occupies a place. */
    private boolean isAlone() {
        return state == State.IN && counted && !shared;
    }

    void placeLeft(long now, boolean crowded) {
        if (queue.isKept() && !shared) {
            queue.policy.placeLeft(now - sentNanos, crowded);
            release(now, true);
        }
    }

    /** Records that the lock is released. {@code exact} is false if the lock may have been released some time ago. */
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

    /** Whether other transactions contend for the key, in this JVM or, according to the policy, in others. */
    public boolean isWanted() {
        synchronized (queue.lock) {
            return queue.wanting() > (state == State.IN && counted ? 1 : 0)
                    || (!queue.isKept() && inFront > 0)
                    || queue.policy.isWantedElsewhere();
        }
    }

    /**
     * Returns the front lock of the entry, or null if the policy requires none. Call this method once, after the entry
     * was admitted.
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
     * Takes waiting entries from the head of the queue, in their order. The first entry that cannot join ends the
     * search, so that no entry is overtaken. An entry cannot join if it is shared, has no offer, or has an offer that
     * the predicate rejects. This entry must be admitted and exclusive.
     *
     * @param most the largest number of entries to take
     * @param joins whether an offer may be taken; the predicate must be quick, because it runs under the lock of the
     *     queue
     * @param rounded returns how many entries to take; the argument is the number of entries that can join
     */
    public List<QueueEntry> take(int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        return queue.take(this, most, joins, rounded);
    }

    public List<QueueEntry> take(int most, Predicate<Object> joins) {
        return take(most, joins, IntUnaryOperator.identity());
    }

    /** Sets the offer. Call it before the entry waits. */
    public void offer(@Nullable Object work) {
        offer = work;
    }

    /** Returns the offered work, or null if there is none or if a leader has given the entry back. */
    public @Nullable Object offer() {
        return offer;
    }

    /**
     * Records that the leader now sends the work of this entry. The outcome of the work is unknown until the leader
     * completes the entry or gives it back.
     */
    public void sent() {
        sent = true;
    }

    public void complete(@Nullable Object value) {
        queue.end(this, new Served(value, null));
    }

    public void fail(Throwable failure) {
        queue.end(this, new Served(null, failure));
    }

    /** Gives the entry back to its own thread. Timeouts and interrupts then end the wait of this thread again. */
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
     * Sets whether entries skip the wait, because no connection is available. Otherwise each entry would wait for the
     * connection timeouts of all entries before it.
     */
    public void open(boolean skipsWait) {
        queue.open(skipsWait);
    }
}
