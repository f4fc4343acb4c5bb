package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.rowlock.RowlockException;

/** A verification that is repeated, on a daemon thread of its own, so that no lock waits for it. */
public final class RepeatedVerification {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private RepeatedVerification() {}

    /** Gives what ends it: a look that is under way is interrupted. */
    public static Runnable start(Runnable verification, Duration every, Consumer<? super RowlockException> refused) {
        if (every == null || refused == null) {
            throw new IllegalArgumentException("The time or who is to be told is null");
        }
        if (every.isZero() || every.isNegative()) {
            throw new IllegalArgumentException("every is " + every + "; give a positive time, such as ten minutes");
        }
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, "rowlock-verification");
            daemon.setDaemon(true);
            return daemon;
        });
        long nanos = TimeUnit.NANOSECONDS.convert(every);
        var unused =
                thread.scheduleWithFixedDelay(() -> run(verification, refused), nanos, nanos, TimeUnit.NANOSECONDS);
        return thread::shutdownNow;
    }

    /** Throws nothing, as what throws is never run again. */
    private static void run(Runnable verification, Consumer<? super RowlockException> refused) {
        try {
            verification.run();
        } catch (Throwable e) {
            if (!(e instanceof RowlockException refusal) || refusal.isRetryable()) {
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
}
