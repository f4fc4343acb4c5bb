package org.rowlock.internal.queue;

/**
 * Measures how long the transactions of a queue wait for the lock at the server, and how long they hold the key. The
 * policy of the queue learns from these times. All methods are called under the lock of the queue.
 */
final class HoldTimes {
    private final KeyQueue queue;

    /** The total time for which past transactions of this JVM have held the key. */
    private long heldNanos;

    /** The time at which a transaction of this JVM last acquired the key; 0 if that transaction has ended. */
    private long heldSince;

    /** Whether Rowlock noticed the last release at once. If so, {@link #heldNanos(long)} includes the present hold. */
    private boolean noticesEnd;

    HoldTimes(KeyQueue queue) {
        this.queue = queue;
    }

    boolean isHeld() {
        return heldSince != 0;
    }

    /** Returns the time for which transactions of this JVM have held the key until now, as far as it is known. */
    private long heldNanos(long now) {
        return heldSince == 0 || !noticesEnd ? heldNanos : heldNanos + now - heldSince;
    }

    /** Records that the lock statement is now sent. The time until now does not count as a wait for the lock. */
    void sends(QueueEntry entry) {
        entry.sentNanos = System.nanoTime();
        entry.heldBeforeNanos = heldNanos(entry.sentNanos);
    }

    /** Records that the server has granted the lock; see {@link QueueEntry#locked}. */
    void locked(QueueEntry entry, boolean holds) {
        long now = System.nanoTime();
        long nanos = now - entry.sentNanos;
        if (queue.line.size() + queue.taken > 0) {
            // The waiting transactions need no relief yet.
            queue.relief.begin(now);
        }
        if (!holds) {
            // During the measured time, this flush and the {@code inFront} flushes before it have each held the lock
            // once.
            queue.policy.held(nanos / (entry.inFront + 1), true);
            return;
        }
        entry.lockedNanos = now;
        // In a ROW queue the lock holder has already left the queue, so {@code inFront} does not include the holder.
        int own = entry.inFront + (queue.isKept() ? 0 : 1);
        long ownNanos = heldNanos(now) - entry.heldBeforeNanos;
        // The previous holder must have ended.
        heldNanos = heldNanos(now);
        heldSince = now;
        queue.policy.waited(nanos, own, ownNanos, entry.front == null ? -1 : entry.front.waitedNanos);
    }

    /** Records that an admitted entry has left the queue. */
    void left(QueueEntry entry, long now) {
        if (queue.isKept() && !entry.shared) {
            queue.policy.placeLeft(now - entry.sentNanos, !queue.line.isEmpty());
            released(entry, now, true);
        }
    }

    /** @param exact false if the lock may have been released some time ago */
    void released(QueueEntry entry, long now, boolean exact) {
        if (entry.lockedNanos == 0) {
            return;
        }
        noticesEnd = exact;
        if (heldSince == entry.lockedNanos) {
            heldNanos = heldNanos(now);
            heldSince = 0;
        }
        queue.policy.held(now - entry.lockedNanos, exact);
        entry.lockedNanos = 0;
    }
}
