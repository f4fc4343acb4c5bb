package org.rowlock.internal.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many transactions of this JVM wait at the server for one row. Each commit of a hot row makes the server wake and
 * run through those who wait for it, so dozens of them cost more than the work; those beyond the bound wait here, first come,
 * first served. The row lock is always taken, and a wrong place costs speed only.
 *
 * <p>Only for transactions that hold nothing at the server: then nobody waits for who waits here but those behind it. What is
 * left, such as a thread that holds the row by another connection, costs a bounded wait, after which the gate of that row
 * stays open for a while. The bound is of the time in which nobody gets the row: a long queue that moves is no reason to
 * send all of it to the server at once.
 *
 * <p>A place is left as soon as the server has answered, and not at the end of the transaction: the holder needs none, and
 * what is given back by the same call cannot be forgotten.
 *
 * <p>Thread-safe. Where fewer than the bound wait nothing is allocated.
 */
public final class Gate {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times the longest wait the gate of a row stays open after it. */
    private static final int OPEN_TIMES = 10;

    /** A power of two. Keys that fall on one place share its bound. */
    private static final int PLACES = 1 << 12;

    private final GateWidth width;
    private final long longestNanos;
    private final AtomicReferenceArray<@Nullable Place> places = new AtomicReferenceArray<>(PLACES);

    /**
     * A gate.
     *
     * @param width how many may wait at the server for a row
     */
    public Gate(int width) {
        this(width, LONGEST_NANOS);
    }

    /** With another bound of the wait, for tests. */
    public Gate(int width, long longestNanos) {
        this(new GateWidth.Fixed(width), longestNanos);
    }

    private Gate(GateWidth width, long longestNanos) {
        this.width = width;
        this.longestNanos = longestNanos;
    }

    /** A gate that does nothing where few want a row, and lets the fewer in the more other JVMs want it. */
    public static Gate adaptive() {
        return new Gate(new GateWidth.Adaptive(), LONGEST_NANOS);
    }

    /** Where the transactions of a row, or of several by chance, stand. */
    public static final class Place {
        private final GateWidth width;
        private final RowEstimate estimate = new RowEstimate();
        private final AtomicInteger inside = new AtomicInteger();
        private final ReentrantLock lock = new ReentrantLock();
        private final Deque<Waiter> queue = new ArrayDeque<>();
        private volatile int queued;
        private volatile long openUntil = System.nanoTime();
        private volatile long lastLeft = openUntil;

        private Place(GateWidth width) {
            this.width = width;
        }

        /** Lets the next go to the server. */
        public void leave() {
            lastLeft = System.nanoTime();
            inside.decrementAndGet();
            if (queued > 0) {
                lock.lock();
                try {
                    admit();
                } finally {
                    lock.unlock();
                }
            }
        }

        /** How many of this JVM wait for the row at the server, or run what locks it. */
        public int inside() {
            return inside.get();
        }

        /** How many of this JVM want the row: those who are in, and those who wait for their turn. */
        public int wanting() {
            return inside.get() + queued;
        }

        /** What is known of the row from those who had it. */
        public RowEstimate estimate() {
            return estimate;
        }

        /** Goes in without waiting, whatever there is. */
        private Place pass() {
            inside.incrementAndGet();
            return this;
        }

        private boolean tryPass(int most) {
            int now = inside.get();
            while (now < most) {
                if (inside.compareAndSet(now, now + 1)) {
                    return true;
                }
                now = inside.get();
            }
            return false;
        }

        /** Those who are let in are counted before they wake, so that nobody comes in between. */
        private void admit() {
            int most = width.queued(estimate);
            while (!queue.isEmpty() && tryPass(most)) {
                Waiter next = queue.poll();
                queued = queue.size();
                if (!next.admit()) {
                    inside.decrementAndGet();
                }
            }
        }

        private boolean await(Waiter waiter, long mostNanos, long longestNanos) {
            long start = System.nanoTime();
            lock.lock();
            try {
                waiter.begin();
                queue.add(waiter);
                queued = queue.size();
                admit();
            } finally {
                lock.unlock();
            }
            boolean stuck = false;
            while (waiter.isWaiting() && !Thread.currentThread().isInterrupted()) {
                long now = System.nanoTime();
                long withoutProgress = now - (lastLeft - start > 0 ? lastLeft : start);
                long left = Math.min(mostNanos - (now - start), longestNanos - withoutProgress);
                stuck = withoutProgress >= longestNanos;
                if (left <= 0) {
                    break;
                }
                LockSupport.parkNanos(this, left);
            }
            if (waiter.finish()) {
                return true;
            }
            lock.lock();
            try {
                queue.remove(waiter);
                queued = queue.size();
            } finally {
                lock.unlock();
            }
            if (stuck) {
                openUntil = System.nanoTime() + OPEN_TIMES * longestNanos;
            }
            return false;
        }
    }

    /**
     * Waits until few enough of this JVM wait at the server for a row.
     *
     * @param hash of the row
     * @param mostNanos the longest to wait
     * @return the place, to be left when the server has answered; null where the wait was over, or the gate is open
     */
    public @Nullable Place enter(int hash, long mostNanos) {
        Place place = placeOf(hash);
        return place.openUntil - System.nanoTime() <= 0 && enter(place, mostNanos, null) ? place : null;
    }

    /** The place of a row. */
    public Place placeOf(int hash) {
        int at = (hash ^ hash >>> 16) & PLACES - 1;
        Place place = places.get(at);
        if (place == null) {
            Place made = new Place(width);
            place = places.compareAndExchange(at, null, made);
            if (place == null) {
                place = made;
            }
        }
        return place;
    }

    /** Goes in if there is room and nobody waits. */
    public boolean tryEnter(Place place) {
        return place.queued == 0 && place.tryPass(width.unqueued(place.estimate));
    }

    /** Goes in without waiting, to be counted. */
    public Place pass(Place place) {
        return place.pass();
    }

    /**
     * Waits for room at a place.
     *
     * @param waiter by whom another thread may end the wait, or null for nobody
     * @return whether it is in. If not, the wait was over, or the gate is open, or the thread was woken or interrupted
     */
    public boolean enter(Place place, long mostNanos, @Nullable Waiter waiter) {
        if (tryEnter(place)) {
            return true;
        }
        // An interrupt is kept, and ends nothing but the wait here, as at the server.
        return mostNanos > 0
                && place.openUntil - System.nanoTime() <= 0
                && place.await(waiter == null ? new Waiter() : waiter, mostNanos, longestNanos);
    }

    /** How many wait in this JVM for their turn. */
    public int queued() {
        return sum(true);
    }

    /** How many are in. */
    public int inside() {
        return sum(false);
    }

    private int sum(boolean queued) {
        int sum = 0;
        for (int i = 0; i < PLACES; i++) {
            Place place = places.get(i);
            if (place != null) {
                sum += queued ? place.queued : place.inside.get();
            }
        }
        return sum;
    }
}
