package org.rowlock.internal.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets in, first come, first served, as many at once as its width, or those who share, who go in together. More than one, so
 * that the next already waits at the server when the holder commits: else the key would be free for as long as it takes to
 * tell the next and for him to come, a round trip and more.
 *
 * <p>A place that becomes free is given to who is next before he wakes, and nobody else is woken.
 *
 * <p>Thread-safe. A place may be left by another thread.
 */
public final class Turnstile {
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry> queue = new ArrayDeque<>(2);
    private final TurnstileWidth width;

    /** Counts those who share upwards, and those who do not downwards. */
    private int inside;

    Turnstile(TurnstileWidth width) {
        this.width = width;
    }

    /** One that lets in so many at once of those who do not share. */
    public static Turnstile ofWidth(int width) {
        return new Turnstile(new TurnstileWidth.Fixed(width));
    }

    /** One whose width follows from how long those who do not share are in. */
    public static Turnstile adaptive() {
        return new Turnstile(new AdaptiveWidth());
    }

    /** The place of one who is in, or waits to be. To be left once. */
    public static final class Entry {
        private final boolean shared;
        private final Waiter waiter = new Waiter();
        /** When it was let in, and not when it woke; or when it had its connection. */
        private long sinceNanos;

        private Entry(boolean shared) {
            this.shared = shared;
        }

        /** It has its connection: until now it was in, and wanted the pool and not the key. On the thread that leaves. */
        public void begin() {
            sinceNanos = System.nanoTime();
        }

        private int side() {
            return shared ? 1 : -1;
        }
    }

    /**
     * Enters if nobody is waiting and there is room.
     *
     * @return null if not
     */
    public @Nullable Entry tryEnter(boolean shared) throws InterruptedException {
        return tryEnter(shared, false);
    }

    /**
     * Enters if nobody is in or waiting, but for those to share with: who is not to wait has no use for the next place.
     *
     * @return null if not
     */
    public @Nullable Entry tryEnterFree(boolean shared) throws InterruptedException {
        return tryEnter(shared, !shared);
    }

    private @Nullable Entry tryEnter(boolean shared, boolean alone) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Entry entry = new Entry(shared);
        lock.lock();
        try {
            return queue.isEmpty() && (!alone || inside == 0) && letIn(entry) ? entry : null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a place.
     *
     * @param mostNanos how long; {@link Long#MAX_VALUE} for as long as it takes
     * @return null if it was not let in
     * @throws InterruptedException if the thread is interrupted before it is let in
     */
    public @Nullable Entry enter(boolean shared, long mostNanos) throws InterruptedException {
        long start = System.nanoTime();
        Entry entry = new Entry(shared);
        Waiter waiter = entry.waiter;
        waiter.begin();
        lock.lock();
        try {
            queue.add(entry);
            letInNext();
        } finally {
            lock.unlock();
        }
        long left = mostNanos;
        while (left > 0 && waiter.isWaiting() && !Thread.currentThread().isInterrupted()) {
            if (mostNanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, left);
                left = mostNanos - (System.nanoTime() - start);
            }
        }
        if (waiter.finish()) {
            return entry;
        }
        lock.lock();
        try {
            queue.remove(entry);
            // Those behind may share with those who are in.
            letInNext();
        } finally {
            lock.unlock();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return null;
    }

    /** Gives a place back. */
    public void leave(Entry entry) {
        lock.lock();
        try {
            inside -= entry.side();
            if (!entry.shared) {
                width.left(System.nanoTime() - entry.sinceNanos, !queue.isEmpty());
            }
            letInNext();
        } finally {
            lock.unlock();
        }
    }

    /** Gives back a place that nobody used. */
    public void leaveUnused(Entry entry) {
        lock.lock();
        try {
            inside -= entry.side();
            letInNext();
        } finally {
            lock.unlock();
        }
    }

    /** How many wait to be let in. */
    int waiting() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    private void letInNext() {
        Entry next = queue.peek();
        while (next != null && letIn(next)) {
            queue.remove();
            if (!next.waiter.admit()) {
                // He has just given up.
                inside -= next.side();
            }
            next = queue.peek();
        }
    }

    private boolean letIn(Entry entry) {
        boolean room = entry.shared ? inside >= 0 : inside <= 0 && inside > -width.now();
        if (room) {
            inside += entry.side();
            entry.sinceNanos = System.nanoTime();
        }
        return room;
    }
}
