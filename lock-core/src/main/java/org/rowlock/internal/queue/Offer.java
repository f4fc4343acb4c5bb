package org.rowlock.internal.queue;

/** An offer that may have something to do on its own thread, while another does what it offers. */
@FunctionalInterface
public interface Offer {
    /** Runs on the thread that waits, whenever it wakes before the outcome. */
    void whileTaken();
}
