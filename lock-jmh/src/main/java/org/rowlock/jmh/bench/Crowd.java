package org.rowlock.jmh.bench;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.Control;

/**
 * The threads of one method of a group, which the other method is to be measured beside. They gather at the start of an
 * iteration, as the first moments without them would be many short operations among few long ones; and rest when it
 * ends, as the other method's last operation may have to wait until they do. Thread-safe.
 */
final class Crowd {
    private final int size;
    private final Set<Thread> there = ConcurrentHashMap.newKeySet();
    private volatile boolean complete;

    private Crowd(int size) {
        this.size = size;
        reset();
    }

    /** Those of the group's method of this number, in the alphabetical order of their names. */
    static Crowd of(BenchmarkParams params, int method) {
        int[] threads = params.getThreadGroups();
        int ofOneGroup = 0;
        for (int ofOneMethod : threads) {
            ofOneGroup += ofOneMethod;
        }
        return new Crowd(threads[method] * (params.getThreads() / ofOneGroup));
    }

    /** To be called before an iteration. */
    void reset() {
        there.clear();
        complete = size == 0;
    }

    /** To be called by each of the crowd when it is where the others are to find it. */
    void arrive() {
        if (!complete && there.add(Thread.currentThread()) && there.size() == size) {
            complete = true;
        }
    }

    /** Waits until all have arrived, or the iteration is over. */
    void awaitAll(Control control) {
        while (!complete && !control.stopMeasurement) {
            Pause.millis(0.1);
        }
    }

    /**
     * Whether this thread has nothing to do, since not all of JMH's threads have come or the iteration is over; waits a
     * little if so. JMH calls on even then, and would give an operation that began before the measurement and ended
     * behind it a throughput of its own. These calls are among what profilers take for operations, so they are few.
     */
    static boolean rests(Control control) {
        if (control.stopMeasurement) {
            Pause.millis(20);
            return true;
        }
        if (!control.startMeasurement) {
            Pause.millis(5);
            return true;
        }
        return false;
    }
}
