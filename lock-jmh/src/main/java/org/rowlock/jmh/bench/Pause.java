package org.rowlock.jmh.bench;

import java.util.concurrent.locks.LockSupport;

/** Waits of benchmark threads, to the tenth of a millisecond, where {@link Thread#sleep} knows whole ones only. */
final class Pause {
    private Pause() {}

    /** Returns when {@link System#nanoTime()} has come so far; at once if the thread is or gets interrupted. */
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
