package org.rowlock.jmh.bench;

import org.rowlock.LockKey;
import org.rowlock.jmh.profile.Latency;

/**
 * One exclusive lock that a transaction asks for, holds and gives up.
 *
 * @param key what is locked
 * @param latency takes the time from asking for a connection until the lock is held
 * @param exclusion notices if two hold it
 * @param number the key's number there
 */
record Hold(LockKey key, Latency latency, Exclusion exclusion, int number) {
    /** To be called as soon as the lock is held, before anything else that could keep others out. */
    void begin(long askedNanos) {
        latency.recordSince(askedNanos);
        exclusion.enter(number);
    }

    /** To be called before the commit. */
    void end() {
        exclusion.leave(number);
    }
}
