package org.rowlock.internal.queue;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits once, at a {@link Gate} or in a queue. Another thread may wake it, without the interrupt that the
 * application would see.
 */
public final class Waiter {
    private enum State {
        NEW,
        WAITING,
        ADMITTED,
        WOKEN,
        OVER
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private volatile @Nullable Thread thread;

    /** Ends the wait, before it begins too. False where it is over, or was never to be, so that the thread is elsewhere. */
    public boolean wake() {
        return state.compareAndSet(State.NEW, State.WOKEN) || end(State.WOKEN);
    }

    void begin() {
        thread = Thread.currentThread();
        state.compareAndSet(State.NEW, State.WAITING);
    }

    boolean isWaiting() {
        return state.get() == State.WAITING;
    }

    boolean admit() {
        return end(State.ADMITTED);
    }

    /** Ends the wait for good. True if it was admitted, be it at the last moment. */
    boolean finish() {
        return state.getAndSet(State.OVER) == State.ADMITTED;
    }

    private boolean end(State end) {
        boolean ended = state.compareAndSet(State.WAITING, end);
        if (ended) {
            LockSupport.unpark(thread);
        }
        return ended;
    }
}
