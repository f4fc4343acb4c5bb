package org.rowlock.jmh.bench;

import java.util.concurrent.locks.LockSupport;

/**
 * Pauses benchmark threads with a precision of a tenth of a millisecond. {@link Thread#sleep} has a precision of a
 * millisecond.
 */
final class Pause {
    private Pause() {}

    /** Waits until {@link System#nanoTime()} reaches this value, or the thread is interrupted. */
    static void until(long nanoTime) {
        long left = nanoTime - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = nanoTime - System.nanoTime();
        }
    }

    static void millis(double millis) {
        until(System.nanoTime() + (long) (millis * 1e6));
    }
}
