package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * Lets in, first come, first served, as many at once as its width, or those who share, who go in together. Two rather than
 * one, so that the next already waits at the server when the holder commits: else the key would be free for as long as it
 * takes to tell the next and for him to come, a round trip and more.
 *
 * <p>Thread-safe. A place may be left by another thread.
 */
public final class Turnstile {
    private final Sync sync;

    /**
     * A turnstile that nobody has passed.
     *
     * @param width how many that do not share may be in at once
     */
    public Turnstile(int width) {
        this.sync = new Sync(width);
    }

    /** Enters if nobody is waiting and there is room. */
    public boolean tryEnter(boolean shared) throws InterruptedException {
        return sync.tryAcquireSharedNanos(side(shared), 0);
    }

    /** Enters if nobody is in or waiting, but for those to share with: who is not to wait has no use for the next place. */
    public boolean tryEnterFree(boolean shared) throws InterruptedException {
        if (shared) {
            return tryEnter(true);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return sync.tryAcquireFree();
    }

    /** Waits for a place, for as long as it takes. */
    public void enter(boolean shared) throws InterruptedException {
        sync.acquireSharedInterruptibly(side(shared));
    }

    /** Waits for a place for so long. */
    public boolean enter(boolean shared, long time, TimeUnit unit) throws InterruptedException {
        return sync.tryAcquireSharedNanos(side(shared), unit.toNanos(time));
    }

    /** Gives a place back. */
    public void leave(boolean shared) {
        sync.releaseShared(side(shared));
    }

    private static int side(boolean shared) {
        return shared ? 1 : -1;
    }

    /** The state counts those who share upwards, and those who do not downwards. */
    private static final class Sync extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        private final int width;

        Sync(int width) {
            this.width = width;
        }

        @Override
        protected int tryAcquireShared(int side) {
            if (hasQueuedPredecessors()) {
                return -1;
            }
            while (true) {
                int state = getState();
                boolean free = side > 0 ? state >= 0 : state <= 0 && state > -width;
                if (!free) {
                    return -1;
                }
                if (compareAndSetState(state, state + side)) {
                    // Whether another may follow is for him to find out.
                    return 1;
                }
            }
        }

        boolean tryAcquireFree() {
            return !hasQueuedPredecessors() && compareAndSetState(0, -1);
        }

        @Override
        protected boolean tryReleaseShared(int side) {
            while (true) {
                int state = getState();
                if (compareAndSetState(state, state - side)) {
                    return true;
                }
            }
        }
    }
}
