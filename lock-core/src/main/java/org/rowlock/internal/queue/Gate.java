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
 * left, such as a thread that holds the row by another connection, costs a bounded wait: after a time in which nobody got
 * the row one more may be in, after the same time again two more, then four, and so on, and the gate of that row stays so
 * wide for a while. Never all at once, since what keeps a JVM from getting the row may be the crowd that other JVMs have at
 * the server, and who joins it keeps them all from getting out of it.
 *
 * <p>A place is left as soon as the server has answered, and not at the end of the transaction: the holder needs none, and
 * what is given back by the same call cannot be forgotten.
 *
 * <p>Thread-safe. Where fewer than the bound wait nothing is allocated.
 */
public final class Gate {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times the longest wait more may be in after it. */
    private static final int WIDE_TIMES = 10;

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
        /** When somebody got the row, or the queue began, or it became wider. */
        private volatile long moved;

        /** How many more than the width may be in, as nobody got the row for too long, and until when. */
        private int more;

        private long moreUntil;

        /** By how many it became wider last, since somebody got the row. */
        private int moreLast;

        private Place(GateWidth width) {
            this.width = width;
        }

        /**
         * Lets the next go to the server.
         *
         * @param got whether it got the row
         */
        public void leave(boolean got) {
            if (got) {
                moved = System.nanoTime();
            }
            inside.decrementAndGet();
            if (queued > 0) {
                lock.lock();
                try {
                    if (got) {
                        moreLast = 0;
                    }
                    endMore();
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

        private void endMore() {
            if (more > 0 && System.nanoTime() - moreUntil >= 0) {
                more = 0;
            }
        }

        /** Those who are let in are counted before they wake, so that nobody comes in between. */
        private void admit() {
            int most = (int) Math.min(Integer.MAX_VALUE, (long) width.queued(estimate) + more);
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
                if (queue.isEmpty()) {
                    moved = start;
                    moreLast = 0;
                }
                endMore();
                queue.add(waiter);
                queued = queue.size();
                admit();
            } finally {
                lock.unlock();
            }
            long left = mostNanos;
            while (left > 0 && waiter.isWaiting() && !Thread.currentThread().isInterrupted()) {
                long untilMore = longestNanos - (System.nanoTime() - moved);
                if (untilMore > 0) {
                    LockSupport.parkNanos(this, Math.min(left, untilMore));
                } else {
                    letInMore(longestNanos, WIDE_TIMES * longestNanos);
                }
                left = mostNanos - (System.nanoTime() - start);
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
            return false;
        }

        /**
         * Becomes wider, unless another waiter has just done it.
         *
         * @param longestNanos if nobody got the row for so long
         * @param wideNanos how long it stays so
         */
        void letInMore(long longestNanos, long wideNanos) {
            lock.lock();
            try {
                if (System.nanoTime() - moved >= longestNanos) {
                    moved = System.nanoTime();
                    moreUntil = moved + wideNanos;
                    moreLast = Math.min(PLACES, Math.max(1, 2 * moreLast));
                    // Beyond those who are in, some of whom did not ask.
                    more = Math.max(0, inside.get() - width.queued(estimate)) + moreLast;
                    admit();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits until few enough of this JVM wait at the server for a row.
     *
     * @param hash of the row
     * @param mostNanos the longest to wait
     * @return the place, to be left when the server has answered; null where the wait was over
     */
    public @Nullable Place enter(int hash, long mostNanos) {
        Place place = placeOf(hash);
        return enter(place, mostNanos, null) ? place : null;
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
     * @return whether it is in. If not, the wait was over, or the thread was woken or interrupted
     */
    public boolean enter(Place place, long mostNanos, @Nullable Waiter waiter) {
        boolean isIn = tryEnter(place);
        if (isIn || mostNanos <= 0) {
            if (waiter != null) {
                waiter.finish();
            }
            return isIn;
        }
        // An interrupt is kept, and ends nothing but the wait here, as at the server.
        return place.await(waiter == null ? new Waiter() : waiter, mostNanos, longestNanos);
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
