package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What happens at Ctrl-C: the run is told to stop, and the program lives on until it has cleaned up and reported what
 * was finished. The JVM then ends with the status of the signal: 130.
 */
final class Interruption implements AutoCloseable {
    /** Ends a program that does not come to its end; what is left of it is told by the next start. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Runnable stop;
    private final BooleanSupplier isClean;
    private final PrintWriter err;
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupted, "rowlock-jmh-stop");
    private volatile boolean interrupted;

    /**
     * From here on until it is closed.
     *
     * @param stop stops the run; called until it has ended, as it may start something in the very moment
     * @param isClean whether everything was removed; asked when the run has ended
     */
    Interruption(Runnable stop, BooleanSupplier isClean, PrintWriter err) {
        this.stop = stop;
        this.isClean = isClean;
        this.err = err;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void interrupted() {
        interrupted = true;
        err.println();
        err.println("Stopping: ending the clients and removing what was created.");
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try {
            do {
                stop.run();
            } while (!finished.await(1, TimeUnit.SECONDS) && System.nanoTime() < deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        err.println(
                finished.getCount() == 0 && isClean.getAsBoolean()
                        ? "Nothing is left behind."
                        : "Stopped before everything was removed.");
        err.flush();
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /** Everything is cleaned up. */
    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is going down, and the hook knows now that it may.
        }
    }
}
