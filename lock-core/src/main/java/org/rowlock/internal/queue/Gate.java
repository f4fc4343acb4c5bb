package org.rowlock.internal.queue;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many transactions of this JVM wait at the server for one row. Each commit of a hot row makes the server wake and
 * run through those who wait for it, so dozens of them cost more than the work; those beyond the bound wait here, first come,
 * first served. The row lock is always taken, and a wrong place costs speed only.
 *
 * <p>Only for transactions that have not begun: whoever waits here holds nothing at the server, so nobody waits for it but
 * those behind it. What is left, such as a thread that holds the row by another connection, costs a bounded wait, after
 * which the gate of that row stays open for a while.
 *
 * <p>Thread-safe. Where fewer than the bound wait nothing is allocated.
 */
public final class Gate {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times the longest wait the gate of a row stays open after it. */
    private static final int OPEN_TIMES = 10;

    /** A power of two. Keys that fall on one place share its bound. */
    private static final int PLACES = 1 << 12;

    private final int width;
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
        this.width = width;
        this.longestNanos = longestNanos;
    }

    /** Where the transactions of a row, or of several by chance, stand. */
    public static final class Place {
        private final Semaphore waiters;
        private volatile long openUntil = System.nanoTime();

        private Place(int width) {
            this.waiters = new Semaphore(width, true);
        }

        /** Lets the next go to the server. */
        public void leave() {
            waiters.release();
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
        long now = System.nanoTime();
        if (place.openUntil - now > 0) {
            return null;
        }
        long most = Math.min(mostNanos, longestNanos);
        try {
            // Unlike tryAcquire() without a time, nobody is overtaken.
            if (place.waiters.tryAcquire(most, TimeUnit.NANOSECONDS)) {
                return place;
            }
        } catch (InterruptedException e) {
            // As without a gate: what waits for the server is not ended by an interrupt.
            Thread.currentThread().interrupt();
            return null;
        }
        if (most == longestNanos) {
            place.openUntil = System.nanoTime() + OPEN_TIMES * longestNanos;
        }
        return null;
    }

    /** How many wait in this JVM for their turn. */
    public int queued() {
        int queued = 0;
        for (int i = 0; i < PLACES; i++) {
            Place place = places.get(i);
            queued += place == null ? 0 : place.waiters.getQueueLength();
        }
        return queued;
    }

    private Place placeOf(int hash) {
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
}
