package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.rowlock.LockVerificationException;
import org.rowlock.RowlockException;

/**
 * A verification that is repeated until it is closed, on a daemon thread of its own,
 * so that no lock waits for it. Thread-safe.
 */
public final class RepeatedVerification {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "rowlock-verification");
        daemon.setDaemon(true);
        return daemon;
    });

    public RepeatedVerification(Runnable verification, Duration every, Consumer<? super RowlockException> refused) {
        if (every == null || refused == null) {
            throw new IllegalArgumentException("The time or who is to be told is null");
        }
        if (every.isZero() || every.isNegative()) {
            throw new IllegalArgumentException("every is " + every + "; give a positive time, such as ten minutes");
        }
        var unused = thread.scheduleWithFixedDelay(
                () -> run(verification, refused), every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Throws nothing, as what throws is never run again. */
    private static void run(Runnable verification, Consumer<? super RowlockException> refused) {
        try {
            verification.run();
        } catch (Throwable e) {
            if (!(e instanceof RowlockException refusal)
                    || (e instanceof LockVerificationException untried && !untried.isConclusive())) {
                LOG.log(Level.DEBUG, "Locks could not be verified just now", e);
                return;
            }
            try {
                refused.accept(refusal);
            } catch (Throwable ofTheirs) {
                LOG.log(Level.ERROR, "Locks are refused, and the listener failed: " + e.getMessage(), ofTheirs);
            }
        }
    }

    /** Ends it. A look that is under way is interrupted. Closing it again does nothing. */
    public void close() {
        thread.shutdownNow();
    }
}
