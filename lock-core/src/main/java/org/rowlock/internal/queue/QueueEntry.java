package org.rowlock.internal.queue;

import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockFront;

/**
 * One transaction's way through a {@link KeyQueue}: it enters, perhaps after a wait, and leaves once. {@link #leave} is
 * right in every state and does nothing a second time, so that a caller who leaves in {@code finally} leaves every
 * place free.
 *
 * <p>The thread that made the entry enters and waits; another thread may {@link #wake} it. An entry inside may be left
 * by any thread.
 *
 * <p><b>Groups.</b> An entry may carry an <em>offer</em>: work that a thread inside can do for the thread that waits. A
 * holder inside {@linkplain #take takes} entries from the head of the queue. A taken thread waits, whatever comes,
 * until the holder has {@linkplain #complete completed} it, with a value or an error, or has
 * {@linkplain #handBack handed it back}; then it stands in the queue again where it stood, is not taken a second time,
 * and goes in by itself. Entries that the holder has neither completed nor handed back when it leaves are handed back,
 * unless it has {@linkplain #sent sent} their work: these end with an error, as nobody knows what became of it.
 */
public final class QueueEntry {
    public enum State {
        /** Made, and not entered. */
        NEW,
        WAITING,
        /** May go to the server. */
        IN,
        /** A holder does its work. */
        TAKEN,
        /** A holder has done its work: see {@link QueueEntry#served}. */
        SERVED,
        /** Its wait has ended without a place: its time was over, or its thread was interrupted or woken. */
        OVER,
        FULL,
        LEFT
    }

    /** What a holder has made of an offer. */
    public record Served(@Nullable Object value, @Nullable Throwable failure) {
        /** Made ahead, as a holder without memory leaves no outcome either. */
        static final Served UNKNOWN =
                new Served(null, new IllegalStateException("The holder has left without an outcome"));
    }

    final KeyQueue queue;
    final boolean shared;
    final Thread thread = Thread.currentThread();

    // Written under the lock of the queue.
    volatile State state = State.NEW;

    @Nullable
    Object offer;

    /** Those that it has taken. */
    List<QueueEntry> members = List.of();

    volatile boolean sent;

    /** Whether it has a place: in an outage an entry is in without one. */
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

    /** Goes in without waiting, if there is room and nobody waits. */
    public boolean tryEnter() {
        return queue.tryEnter(this, false);
    }

    /** Only if it waits for nobody at the server either. */
    public boolean tryEnterFree() {
        return queue.tryEnter(this, !shared);
    }

    /** Goes in, room or not, to be counted. */
    public void pass() {
        synchronized (queue.lock) {
            queue.admit(this);
        }
    }

    /**
     * Waits for a place. An interrupt ends the wait, and stays set.
     *
     * @param mostNanos how long; {@link Long#MAX_VALUE} for as long as it takes
     * @param mostWaiting how many may wait in the queue with it
     * @return IN, SERVED, OVER or FULL
     */
    public State enter(long mostNanos, int mostWaiting) {
        return queue.enter(this, mostNanos, mostWaiting);
    }

    /** Ends the wait, before it begins too; false if there is none to end. */
    public boolean wake() {
        return queue.giveUp(this);
    }

    /** Its statement leaves for the server now: until then it waited for the pool, say, and not for the key. */
    public void begin() {
        sentNanos = System.nanoTime();
    }

    public void leave() {
        queue.leave(this);
    }

    /** The server has answered, and the place is left. See {@link #locked}. */
    public void answered(boolean got, boolean holds) {
        if (got) {
            locked(holds);
        }
        leave();
    }

    /**
     * The server has granted the lock.
     *
     * @param holds whether it is still held, until {@link #released}, and not let go by the same statement
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
                // Had and let go by the one statement, as by those in front of it.
                queue.policy.held(nanos / (inFront + 1), true);
                return;
            }
            lockedNanos = now;
            // Where places are left at the answer, the holder is not among those inside.
            int own = inFront + (queue.isKept() ? 0 : 1);
            queue.policy.waited(nanos, own, front == null ? -1 : front.waitedNanos);
        }
    }

    /** Whether it has a place, and does not share. */
    private boolean isAlone() {
        return state == State.IN && counted && !shared;
    }

    void stayed(long now, boolean crowded) {
        if (queue.isKept() && !shared) {
            queue.policy.stayed(now - sentNanos, crowded);
            release(now, true);
        }
    }

    /** The lock is held no more; not {@code exact} where it may be so for a while already. */
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

    /** Whether somebody else wants the key: of this JVM, or as far as is known of others. */
    public boolean isWanted() {
        synchronized (queue.lock) {
            return queue.wanting() > (state == State.IN && counted ? 1 : 0)
                    || (!queue.isKept() && inFront > 0)
                    || queue.policy.isWantedElsewhere();
        }
    }

    /** The advisory key that is to go in front of its lock; null for none. To be asked once, when it is in. */
    public @Nullable Front front(LockFront how) {
        synchronized (queue.lock) {
            boolean always = how == LockFront.ALWAYS;
            long most = how != LockFront.NEVER && isAlone() ? queue.policy.frontNanos(always) : 0;
            front = most == 0 ? null : new Front(this, most, !always && queue.policy.isFrontTimed());
            return front;
        }
    }

    /**
     * Takes those who wait from the head of the queue, in their order, up to the first that does not join: one that
     * shares, that has no offer, or whose offer the predicate refuses. So nobody is overtaken. For an entry that is in,
     * and does not share.
     *
     * @param most how many to take
     * @param joins whether an offer is taken; quick, as the queue stands still meanwhile
     * @param rounded how many are taken of so many that join
     */
    public List<QueueEntry> take(int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        return queue.take(this, most, joins, rounded);
    }

    public List<QueueEntry> take(int most, Predicate<Object> joins) {
        return take(most, joins, IntUnaryOperator.identity());
    }

    /** Offers work before it enters. */
    public void offer(@Nullable Object work) {
        offer = work;
    }

    /** What was offered; null where nothing was, or it was handed back. */
    public @Nullable Object offer() {
        return offer;
    }

    /** Its work may be done from now on, until it is completed or handed back. */
    public void sent() {
        sent = true;
    }

    public void complete(@Nullable Object value) {
        queue.end(this, new Served(value, null));
    }

    public void fail(Throwable failure) {
        queue.end(this, new Served(null, failure));
    }

    /** Its own bound of the wait, and interrupts, hold again. */
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

    /** As long as no connection is to be had, nobody waits for the next one's timeout. */
    public void open(boolean nobodyWaits) {
        queue.open(nobodyWaits);
    }
}
