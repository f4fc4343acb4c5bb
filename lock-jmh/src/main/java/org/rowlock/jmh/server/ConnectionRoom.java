package org.rowlock.jmh.server;

/**
 * A limit of how many connections there may be.
 *
 * @param limit what sets it, such as {@code max_connections}
 * @param allowed how many it allows at all
 * @param free about how many more it allows us; sessions come and go
 * @param cure what raises it, to be followed by a number
 */
public record ConnectionRoom(String limit, int allowed, int free, String cure) {

    /** What to do so that there is room for so many of ours. */
    public String cureFor(int connections) {
        return cure + " " + (allowed - free + connections);
    }
}
