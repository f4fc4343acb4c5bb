package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.rowlock.LockException;
import org.rowlock.LockVerificationException;

/** Tries now and then what was proven before, on a thread of its own, so that no lock waits for it. */
public final class VerificationThread implements AutoCloseable {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** No more than it takes: calls need the pool. */
    private static final int CONNECTIONS = 2;

    private final LockVerifier verifier;
    private final DataSource dataSource;
    private final Consumer<? super LockException> refused;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "rowlock-verification");
        daemon.setDaemon(true);
        return daemon;
    });

    public VerificationThread(
            LockVerifier verifier, DataSource dataSource, Duration every, Consumer<? super LockException> refused) {
        this.verifier = verifier;
        this.dataSource = dataSource;
        this.refused = refused;
        var unused = thread.scheduleWithFixedDelay(this::look, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void look() {
        try {
            verifier.verify(dataSource, CONNECTIONS);
        } catch (LockException e) {
            if (e instanceof LockVerificationException verification && !verification.isConclusive()) {
                notTried(e);
            } else {
                tell(e);
            }
        } catch (RuntimeException e) {
            notTried(e);
        }
    }

    /** A thread that throws is never run again. */
    private void tell(LockException e) {
        try {
            refused.accept(e);
        } catch (RuntimeException ofTheirs) {
            LOG.log(Level.ERROR, "Locks are refused, and who was to be told failed: " + e.getMessage(), ofTheirs);
        }
    }

    private static void notTried(RuntimeException e) {
        LOG.log(Level.DEBUG, "Locks could not be verified just now", e);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
