package org.rowlock.jdbc.internal.turn;

import org.rowlock.internal.queue.Gate.Place;

/** When the lock goes in front. */
@FunctionalInterface
public interface FrontPolicy {
    /**
     * Where it pays: several of other JVMs want the row, and together with those of this one so many that the server's queue
     * for a row lock costs more than the lock.
     */
    FrontPolicy ADAPTIVE = place -> {
        double foreign = place.estimate().foreign();
        return foreign >= 4 && place.wanting() + foreign > 8;
    };

    /** Whether the next to go to the server from this place is to have the lock in front. */
    boolean fronts(Place place);
}
