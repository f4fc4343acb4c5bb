package org.rowlock.internal.queue;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits at a {@link Gate}, one wait after the other. Another thread may wake it, without the interrupt that
 * the application would see.
 */
public final class Waiter {
    private enum State {
        ELSEWHERE,
        WAITING,
        ADMITTED,
        WOKEN
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.ELSEWHERE);
    private volatile @Nullable Thread thread;

    /** Sends the thread on if it is waiting now. */
    public boolean wake() {
        return end(State.WOKEN);
    }

    void begin() {
        thread = Thread.currentThread();
        state.set(State.WAITING);
    }

    boolean isWaiting() {
        return state.get() == State.WAITING;
    }

    boolean admit() {
        return end(State.ADMITTED);
    }

    /** Ends the wait for good. True if it was admitted, be it at the last moment. */
    boolean finish() {
        boolean admitted = state.getAndSet(State.ELSEWHERE) == State.ADMITTED;
        thread = null;
        return admitted;
    }

    private boolean end(State end) {
        Thread waiting = thread;
        if (!state.compareAndSet(State.WAITING, end)) {
            return false;
        }
        LockSupport.unpark(waiting);
        return true;
    }
}
