package org.rowlock.jmh.bench;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a lock lets two in: threads enter under the lock and leave before the commit that ends it. It costs no
 * statement, so the measured work stays what it is. Keys are numbered from 0. Thread-safe.
 */
final class Exclusion {
    /** Per key: -1 for one that excludes all others, or the number of sharers. */
    private final AtomicIntegerArray inside;

    private final AtomicReference<@Nullable String> violation = new AtomicReference<>();

    Exclusion(int keys) {
        this.inside = new AtomicIntegerArray(keys);
    }

    /** Enters as the only one. */
    void enter(int key) {
        int found = inside.compareAndExchange(key, 0, -1);
        if (found != 0) {
            violated(key, found);
            inside.set(key, -1);
        }
    }

    void leave(int key) {
        inside.set(key, 0);
    }

    /** Enters beside other sharers. */
    void enterShared(int key) {
        int found = inside.getAndUpdate(key, sharers -> Math.max(sharers, 0) + 1);
        if (found < 0) {
            violated(key, found);
        }
    }

    void leaveShared(int key) {
        inside.getAndUpdate(key, sharers -> Math.max(sharers - 1, 0));
    }

    private void violated(int key, int found) {
        violated("Two transactions were inside the lock of key " + key + " at the same time ("
                + (found < 0 ? "an exclusive holder" : found + " sharers") + " when another came in)");
    }

    /** Notes anything else that a lock should have kept from happening. */
    void violated(String message) {
        violation.compareAndSet(null, message);
    }

    /** Fails if two have ever been inside one lock. */
    void check() {
        String found = violation.get();
        if (found != null) {
            throw new InvariantViolation(found);
        }
    }
}
