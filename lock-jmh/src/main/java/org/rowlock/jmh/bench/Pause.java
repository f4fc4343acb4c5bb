package org.rowlock.jmh.bench;

import java.util.concurrent.locks.LockSupport;

/**
 * Pauses of benchmark threads, exact to a tenth of a millisecond. {@link Thread#sleep} is exact to a millisecond only.
 */
final class Pause {
    private Pause() {}

    /** Returns when {@link System#nanoTime()} reaches this value, or at once if the thread is or gets interrupted. */
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
