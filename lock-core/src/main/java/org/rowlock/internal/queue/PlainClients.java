package org.rowlock.internal.queue;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Whether and when the policies of the same {@link KeyQueues} ask the server how many clients without Rowlock wait. The
 * policies share one object, because the server visits all its locks for each question. Thread-safe.
 */
final class PlainClients {
    /** The shortest time between two questions, because many contended rows would lead to many questions. */
    static final long BETWEEN_NANOS = OpenPolicy.CHECK_NANOS;

    private final LongSupplier nanos;
    private final AtomicLong nextAskNanos;

    /** Whether any policy has counted few clients without Rowlock. Until then, queues open for their first crowds. */
    volatile boolean counted;

    /** @param nanos returns a time that never decreases */
    PlainClients(LongSupplier nanos) {
        this.nanos = nanos;
        this.nextAskNanos = new AtomicLong(nanos.getAsLong());
    }

    /** Whether the caller may ask now. If so, no other caller may ask for a while. */
    boolean mayAsk() {
        long next = nextAskNanos.get();
        long now = nanos.getAsLong();
        return now - next >= 0 && nextAskNanos.compareAndSet(next, now + BETWEEN_NANOS);
    }
}
