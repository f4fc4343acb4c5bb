package org.rowlock.jdbc.internal.turn;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.rowlock.internal.queue.Gate.Place;

/**
 * How long a lock in front is waited for, and the places where that was not enough: there somebody has the lock who does not
 * have the row, and for a while no lock goes in front. Thread-safe.
 */
final class FrontWait {
    static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times the longest wait a place is left alone after it. */
    private static final int OFF_TIMES = 10;

    private final long longestNanos;
    private final Map<Place, Long> offUntil = new ConcurrentHashMap<>();

    FrontWait(long longestNanos) {
        this.longestNanos = longestNanos;
    }

    /**
     * The bound of a statement's wait in milliseconds; the server has the session's own timeouts, and makes it shorter.
     *
     * @param queryTimeout in seconds, 0 for none
     */
    int millis(int queryTimeout) {
        long own = queryTimeout == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toMillis(queryTimeout) / Turns.PART_OF_TIMEOUT;
        return (int) Math.min(TimeUnit.NANOSECONDS.toMillis(longestNanos), own);
    }

    boolean isOff(Place place) {
        Long until = offUntil.get(place);
        if (until == null) {
            return false;
        }
        boolean off = until - System.nanoTime() > 0;
        if (!off) {
            offUntil.remove(place, until);
        }
        return off;
    }

    void turnOff(Place place) {
        offUntil.put(place, System.nanoTime() + OFF_TIMES * longestNanos);
    }
}
