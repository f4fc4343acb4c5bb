package org.rowlock.internal.queue;

/** How many {@link Turnstile} lets in at once of those who do not share. Used under its lock. */
interface TurnstileWidth {
    /** At least 1. */
    int now();

    /**
     * Somebody has left.
     *
     * @param nanos how long he was in
     * @param crowded whether somebody waits to be let in
     */
    void left(long nanos, boolean crowded);

    /** Always as many. */
    record Fixed(int now) implements TurnstileWidth {
        @Override
        public void left(long nanos, boolean crowded) {}
    }
}
