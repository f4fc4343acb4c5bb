package org.rowlock.internal.queue;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.queue.QueuePolicy.Question;

/**
 * The entry of one transaction in a {@link KeyQueue}. An entry waits, is admitted, and leaves. {@link #leave} may be
 * called in every state, and a second call does nothing. With {@code leave} in a {@code finally} block, a caller never
 * blocks the queue.
 *
 * <p>Only the thread that created the entry waits. Another thread may {@link #wake} the waiting thread. Any thread may
 * call {@link #leave} for an admitted entry.
 */
public final class QueueEntry {
    final KeyQueue queue;

    /** A hash of the row. Entries of other rows may wait in the same queue. */
    final int row;

    final boolean shared;
    final Thread thread = Thread.currentThread();

    // This field and the following fields are written under the lock of the queue, with these exceptions. The entry's
    // own thread writes offer, clears front, and leaves after a leader has done its work. The leader writes sent.
    // QueueGroup.wake() clears members.
    volatile EntryState state = EntryState.NEW;

    @Nullable
    Object offer;

    List<QueueEntry> members = List.of();

    volatile boolean sent;

    /** Whether the wait ends as soon as the leader gives the entry back. */
    boolean woken;

    /** Whether the queue counts the admitted entry; false if a lack of connections led to the admission. */
    boolean counted;

    volatile long sinceNanos = System.nanoTime();
    long sentNanos;

    /** For how long transactions of this JVM had held the key at the time {@link #sentNanos}. */
    long heldBeforeNanos;

    int inFront;
    long lockedNanos;

    @Nullable
    Front front;

    QueueGroup.@Nullable Served served;

    QueueEntry(KeyQueue queue, int row, boolean shared, @Nullable Object offer) {
        this.queue = queue;
        this.row = row;
        this.shared = shared;
        this.offer = offer;
    }

    /** Enters without waiting if the width allows another entry and no entry waits. */
    public boolean tryEnter() {
        return queue.tryEnter(this, false);
    }

    /** Enters without waiting if no entry waits, and no admitted entry would block the transaction at the server. */
    public boolean tryEnterFree() {
        return queue.tryEnter(this, !shared);
    }

    /** Enters without waiting, even beyond the width. */
    public void pass() {
        synchronized (queue.lock) {
            queue.admit(this);
        }
    }

    /**
     * Waits until the entry is admitted. An interrupt ends the wait, and the thread's interrupt flag stays set.
     *
     * @param mostWaiting the largest number of entries that may wait in the queue, including this one
     */
    public EntryState enter(long mostNanos, int mostWaiting) {
        return queue.enter(this, mostNanos, mostWaiting);
    }

    /**
     * Ends the wait of the entry, even before the wait begins. Returns false if the entry no longer waits in the queue.
     * If a leader has taken the entry, its wait ends when the leader gives the entry back.
     */
    public boolean wake() {
        synchronized (queue.lock) {
            boolean ends = state == EntryState.NEW || state == EntryState.WAITING;
            woken |= state == EntryState.TAKEN;
            if (ends) {
                queue.line.remove(this);
                state = EntryState.OVER;
                LockSupport.unpark(thread);
                // If the removed entry was exclusive, shared entries after it may be admitted now.
                queue.admitNext();
            }
            return ends;
        }
    }

    /** Records that the lock statement is now sent. The time until now does not count as a wait for the lock. */
    public void startServerWait() {
        synchronized (queue.lock) {
            queue.times.sends(this);
        }
    }

    public void leave() {
        if (state == EntryState.SERVED && !queue.isKept()) {
            // Nothing else depends on an entry whose work a leader has done.
            state = EntryState.LEFT;
        } else {
            queue.leave(this);
        }
    }

    /**
     * Records the server's answer, and leaves the queue.
     *
     * @param holds whether the lock is held until {@link #released}; see {@link #locked}
     */
    public void endServerWait(boolean got, boolean holds) {
        if (got && isIn()) {
            locked(holds);
        }
        leave();
    }

    /**
     * Records that the server has granted the lock.
     *
     * @param holds whether the lock is held until {@link #released}; false if the same flush has released the lock
     */
    public void locked(boolean holds) {
        synchronized (queue.lock) {
            if (isAlone()) {
                queue.times.locked(this, holds);
            }
        }
    }

    private boolean isAlone() {
        return state == EntryState.IN && counted && !shared;
    }

    /** Records that the lock is released. The argument is false if the lock may have been released some time ago. */
    public void released(boolean exact) {
        synchronized (queue.lock) {
            queue.times.released(this, System.nanoTime(), exact);
        }
    }

    public boolean isIn() {
        return state == EntryState.IN;
    }

    boolean isThere() {
        EntryState now = state;
        return now == EntryState.WAITING || now == EntryState.TAKEN || now == EntryState.IN;
    }

    /** Whether other transactions contend for the key, in this JVM or, according to the policy, in other JVMs. */
    public boolean isWanted() {
        synchronized (queue.lock) {
            return queue.wanting() > (state == EntryState.IN && counted ? 1 : 0)
                    || (!queue.isKept() && inFront > 0)
                    || queue.policy.isWantedElsewhere();
        }
    }

    /**
     * Returns what the caller must ask the server, or null. If the method returns a question, the caller calls {@link
     * KeyQueues#ask}, before it may call {@link #front}.
     *
     * @param grouped whether transactions of this queue run in groups; assumed if the entry has an offer
     */
    public @Nullable Question asks(boolean grouped) {
        synchronized (queue.lock) {
            Question asks = isAlone() ? queue.policy.asks(queue.wanting(), grouped || offer != null) : null;
            // The policy may now allow a larger width.
            queue.admitNext();
            return asks;
        }
    }

    void answered(Question question, int answer) {
        synchronized (queue.lock) {
            queue.policy.answered(question, answer);
            queue.admitNext();
            startServerWait();
        }
    }

    /** Returns the front lock, or null if none is required. Call this method once, after the admission. */
    public @Nullable Front front(LockFront how) {
        synchronized (queue.lock) {
            long most = how != LockFront.NEVER && isAlone() ? queue.policy.frontNanos(how == LockFront.ALWAYS) : 0;
            front = most == 0 ? null : new Front(this, most);
            return front;
        }
    }

    /** Takes waiting entries as {@link QueueGroup#take} does, as many as can join. */
    public List<QueueEntry> take(int most, Predicate<Object> joins) {
        return QueueGroup.take(this, most, joins, joining -> joining);
    }

    /** Sets the offer. Must be called before the entry waits. */
    public void offer(@Nullable Object work) {
        offer = work;
    }

    /** Returns the offered work; null if there is no offer, or if a leader has given the entry back. */
    public @Nullable Object offer() {
        return offer;
    }

    /**
     * Records that the leader now sends the work of this entry. The outcome of the work is unknown until the leader
     * completes the entry or gives the entry back.
     */
    public void sent() {
        sent = true;
    }

    public QueueGroup.@Nullable Served served() {
        return state == EntryState.SERVED ? served : null;
    }

    void enters() {
        queue.times.sends(this);
        sinceNanos = sentNanos;
        state = EntryState.IN;
    }
}
