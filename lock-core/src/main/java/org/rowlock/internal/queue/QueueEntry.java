package org.rowlock.internal.queue;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
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
 *
 * <p><b>Groups.</b> An entry may have an <em>offer</em>: work that the thread of an admitted entry, the
 * <em>leader</em>, can do for the waiting thread. A leader {@linkplain #take takes} entries from the head of the queue.
 * The thread of a taken entry ignores timeouts and interrupts while it waits. The leader {@linkplain #complete
 * completes} the entry with a value or an error, or {@linkplain #handBack gives the entry back}. An entry that was
 * given back waits at its former position, and no leader takes the entry again.
 *
 * <p>When the leader leaves, its remaining entries are given back. A remaining entry whose work was already {@linkplain
 * #sent sent} ends with an error instead, because the outcome is unknown.
 */
public final class QueueEntry {
    public enum State {
        NEW,
        WAITING,
        /** The entry is admitted. Its transaction may send statements to the server. */
        IN,
        TAKEN,
        SERVED,
        /** The wait has ended without admission: the wait timed out, or the thread was interrupted or woken. */
        OVER,
        FULL,
        LEFT
    }

    public record Served(@Nullable Object value, @Nullable Throwable failure) {
        /** This object is created in advance, because a leader that is out of memory could not create it. */
        static final Served UNKNOWN = new Served(
                null, new IllegalStateException("The leader of the group has left without an outcome for this entry"));
    }

    private static final Logger LOG = System.getLogger("org.rowlock");

    final KeyQueue queue;
    final boolean shared;
    final Thread thread = Thread.currentThread();

    // This field and the following fields are written under the lock of the queue, with three exceptions: without the
    // lock, the entry's own thread writes offer and clears front, and the leader writes sent.
    volatile State state = State.NEW;

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

    /** The value of {@link KeyQueue#heldNanos} at the time {@link #sentNanos}. */
    private long heldBeforeNanos;

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
    public State enter(long mostNanos, int mostWaiting) {
        return queue.enter(this, mostNanos, mostWaiting);
    }

    /**
     * Ends the wait of the entry, even before the wait begins. Returns false if the entry no longer waits in the queue.
     * If a leader has taken the entry, its wait ends when the leader gives the entry back.
     */
    public boolean wake() {
        return queue.giveUp(this);
    }

    /** Records that the lock statement is now sent. The time until now does not count as a wait for the lock. */
    public void startServerWait() {
        synchronized (queue.lock) {
            sends();
        }
    }

    private void sends() {
        sentNanos = System.nanoTime();
        heldBeforeNanos = queue.heldNanos(sentNanos);
    }

    public void leave() {
        queue.leave(this);
    }

    /**
     * Records the server's answer, and leaves the queue.
     *
     * @param holds whether the lock is held until {@link #released}; see {@link #locked}
     */
    public void endServerWait(boolean got, boolean holds) {
        if (got) {
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
            if (!isAlone()) {
                return;
            }
            long now = System.nanoTime();
            long nanos = now - sentNanos;
            queue.moved(now);
            if (!holds) {
                // During the measured time, this flush and the {@code inFront} flushes before it have each held the
                // lock once.
                queue.policy.held(nanos / (inFront + 1), true);
                return;
            }
            lockedNanos = now;
            // In a ROW queue the lock holder has already left the queue, so {@code inFront} does not include the
            // holder.
            int own = inFront + (queue.isKept() ? 0 : 1);
            long ownNanos = queue.heldNanos(now) - heldBeforeNanos;
            queue.granted(now);
            queue.policy.waited(nanos, own, ownNanos, front == null ? -1 : front.waitedNanos);
        }
    }

    private boolean isAlone() {
        return state == State.IN && counted && !shared;
    }

    void placeLeft(long now, boolean crowded) {
        if (queue.isKept() && !shared) {
            queue.policy.placeLeft(now - sentNanos, crowded);
            release(now, true);
        }
    }

    /** Records that the lock is released. The argument is false if the lock may have been released some time ago. */
    public void released(boolean exact) {
        synchronized (queue.lock) {
            release(System.nanoTime(), exact);
        }
    }

    private void release(long now, boolean exact) {
        if (lockedNanos != 0) {
            queue.released(lockedNanos, now, exact);
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

    /** Whether other transactions contend for the key, in this JVM or, according to the policy, in other JVMs. */
    public boolean isWanted() {
        synchronized (queue.lock) {
            return queue.wanting() > (state == State.IN && counted ? 1 : 0)
                    || (!queue.isKept() && inFront > 0)
                    || queue.policy.isWantedElsewhere();
        }
    }

    /**
     * Returns what the caller must ask the server, or null. If the method returns a question, the caller calls {@link
     * #ask}, before it may call {@link #front}.
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

    /** Runs a query of {@link FrontSql} for the table of the row. */
    public interface Count {
        String ask(String sql) throws SQLException;
    }

    /**
     * Asks the server, and records the answer. The answer is unknown if the query fails.
     *
     * @param own returns how many transactions of this JVM may wait at the server
     */
    public void ask(Question question, Count count, IntSupplier own) {
        int answer = QueuePolicy.UNKNOWN;
        try {
            int before = own.getAsInt();
            int waiters = Integer.parseInt(count.ask(question.sql));
            answer =
                    question == Question.OTHER_JVMS ? Math.max(0, waiters - Math.max(before, own.getAsInt())) : waiters;
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "The clients that wait for a row could not be counted", e);
        }
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

    /**
     * Takes waiting entries from the head of the queue, in their order, up to the first entry that cannot join. No
     * entry is overtaken. An entry cannot join if it is shared, has no offer, or has an offer that the predicate
     * rejects. The leader, on whose entry this method is called, must be admitted and exclusive.
     *
     * @param joins whether an offer may be taken; runs under the lock of the queue, and must be quick
     * @param rounded returns how many entries to take; the argument is the number of entries that can join
     */
    public List<QueueEntry> take(int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        return queue.take(this, most, joins, rounded);
    }

    public List<QueueEntry> take(int most, Predicate<Object> joins) {
        return take(most, joins, IntUnaryOperator.identity());
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
        sends();
        sinceNanos = sentNanos;
        state = State.IN;
    }

    public void open(boolean skipsWait) {
        queue.open(skipsWait);
    }
}
