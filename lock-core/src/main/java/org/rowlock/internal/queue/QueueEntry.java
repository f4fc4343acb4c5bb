package org.rowlock.internal.queue;

import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLocksBuilder.LockFront;

/**
 * One transaction's entry in a {@link KeyQueue}. It waits, is admitted, and leaves. {@link #leave} is allowed in every
 * state, and a second call does nothing. A caller that calls {@code leave} in {@code finally} therefore never blocks
 * the queue.
 *
 * <p>The thread that created the entry waits. Another thread may {@link #wake} it. Any thread may call {@link #leave}
 * for an admitted entry.
 *
 * <p><b>Groups.</b> An entry may have an <em>offer</em>: work that an admitted thread, the leader, can do for the
 * waiting thread. A leader {@linkplain #take takes} entries from the head of the queue. The thread of a taken entry
 * waits, regardless of timeouts and interrupts. The leader {@linkplain #complete completes} the entry with a value or
 * an error, or {@linkplain #handBack gives it back}. An entry that was given back waits at its former position, and no
 * leader takes it again. When the leader leaves, it gives back its remaining entries. Entries whose work was already
 * {@linkplain #sent sent} end with an error instead, because the outcome is unknown.
 */
public final class QueueEntry {
    public enum State {
        /** Created, but neither waiting nor admitted. */
        NEW,
        WAITING,
        /** Inside: its transaction may go to the server. */
        IN,
        /** Taken by a leader, which does its work. */
        TAKEN,
        /** Completed by a leader; see {@link QueueEntry#served}. */
        SERVED,
        /** Ended without being admitted: the wait timed out, or the thread was interrupted or woken. */
        OVER,
        FULL,
        LEFT
    }

    /** The result of an offer whose work a leader has done. */
    public record Served(@Nullable Object value, @Nullable Throwable failure) {
        /** An outcome that is created in advance, because a leader that is out of memory could not create one. */
        static final Served UNKNOWN =
                new Served(null, new IllegalStateException("The holder has left without an outcome"));
    }

    final KeyQueue queue;
    final boolean shared;
    final Thread thread = Thread.currentThread();

    // The following fields are written under the lock of the queue.
    volatile State state = State.NEW;

    @Nullable
    Object offer;

    /** The entries that this entry has taken. */
    List<QueueEntry> members = List.of();

    volatile boolean sent;

    /** Whether the entry has a place. While no connection is available, entries are inside without a place. */
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

    /** Enters without waiting if a place is free and no entry waits. */
    public boolean tryEnter() {
        return queue.tryEnter(this, false);
    }

    /** Enters without waiting if no entry is inside for which the transaction would have to wait at the server. */
    public boolean tryEnterFree() {
        return queue.tryEnter(this, !shared);
    }

    /** Enters even if no place is free. The entry takes a place. */
    public void pass() {
        synchronized (queue.lock) {
            queue.admit(this);
        }
    }

    /**
     * Waits for a place. An interrupt ends the wait, and the flag stays set.
     *
     * @param mostNanos the longest wait; {@link Long#MAX_VALUE} for no bound
     * @param mostWaiting the largest number of entries that may wait in the queue, including this one
     * @return IN, SERVED, OVER or FULL
     */
    public State enter(long mostNanos, int mostWaiting) {
        return queue.enter(this, mostNanos, mostWaiting);
    }

    /** Ends the wait, even before it begins. Returns false if the entry no longer waits. */
    public boolean wake() {
        return queue.giveUp(this);
    }

    /**
     * Records that the entry's statement is sent to the server now. Before this, the transaction may have waited for
     * the pool, and not for the key.
     */
    public void startServerWait() {
        sentNanos = System.nanoTime();
    }

    public void leave() {
        queue.leave(this);
    }

    /** Records the server's answer, and leaves the queue. See {@link #locked}. */
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
                // This flush, and each flush before it, has acquired and released the lock.
                queue.policy.held(nanos / (inFront + 1), true);
                return;
            }
            lockedNanos = now;
            // In a ROW queue the lock holder has already left, so its hold is added to those of the entries inside.
            int own = inFront + (queue.isKept() ? 0 : 1);
            queue.policy.waited(nanos, own, front == null ? -1 : front.waitedNanos);
        }
    }

    /** Whether the entry has a place and is exclusive. */
    private boolean isAlone() {
        return state == State.IN && counted && !shared;
    }

    void placeLeft(long now, boolean crowded) {
        if (queue.isKept() && !shared) {
            queue.policy.placeLeft(now - sentNanos, crowded);
            release(now, true);
        }
    }

    /** Records that the lock is released. {@code exact} is false if the release may have happened some time ago. */
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

    /** Returns the front lock of the entry, or null if it has none. Called once, after the entry was admitted. */
    public @Nullable Front front(LockFront how) {
        synchronized (queue.lock) {
            boolean always = how == LockFront.ALWAYS;
            long most = how != LockFront.NEVER && isAlone() ? queue.policy.frontNanos(always) : 0;
            front = most == 0 ? null : new Front(this, most, !always && queue.policy.isFrontTimed());
            return front;
        }
    }

    /**
     * Takes waiting entries from the head of the queue, in their order, up to the first that cannot join, so that no
     * entry is overtaken. A shared entry, an entry without an offer, and an entry whose offer the predicate rejects
     * cannot join. This entry must be inside and exclusive.
     *
     * @param most the largest number of entries to take
     * @param joins whether an offer may be taken; it must be quick, because the queue is locked meanwhile
     * @param rounded returns how many entries to take; its argument is the number of entries that can join
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

    /** Returns the offered work; null if there is none, or if a leader has given it back. */
    public @Nullable Object offer() {
        return offer;
    }

    /**
     * Records that the leader sends the work of this entry now. Its outcome is unknown until the leader completes it or
     * gives it back.
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

    /** Gives the entry back to its own thread, to which timeouts and interrupts apply again. */
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
     * Makes entries skip the wait while no connection is available, so that they do not wait for each other's timeouts.
     */
    public void open(boolean skipsWait) {
        queue.open(skipsWait);
    }
}
