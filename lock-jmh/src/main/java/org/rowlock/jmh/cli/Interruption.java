package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.rowlock.jmh.server.BenchmarkSchema;

/**
 * Handles Ctrl-C and SIGTERM. The handler stops the run, and keeps the JVM alive until the run has cleaned up and
 * written its report. The JVM then exits with the status of the signal, such as 130.
 */
final class Interruption implements AutoCloseable {
    /** The exit status of a program that SIGINT ends. */
    static final int STATUS = 130;

    /** The time limit of the clean-up. After the limit the JVM exits, and the next run removes what is left. */
    private static final int LIMIT_SECONDS = 120;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupted, "rowlock-jmh-stop");
    private final Runnable stop;
    private final Supplier<String> left;
    private final PrintWriter err;
    private volatile boolean interrupted;

    /**
     * @param stop ends the run
     * @param left describes what the run could not remove; empty if nothing is left
     */
    Interruption(Runnable stop, Supplier<String> left, PrintWriter err) {
        this.stop = stop;
        this.left = left;
        this.err = err;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    void interrupted() {
        interrupted = true;
        err.println(System.lineSeparator() + "Stopping: ending the clients and removing what was created.");
        boolean isFinished = false;
        try {
            for (int second = 0; second < LIMIT_SECONDS && !isFinished; second++) {
                // The loop stops the run repeatedly, because the run may be starting a process at this moment.
                stop.run();
                isFinished = finished.await(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String rest = isFinished
                ? left.get()
                : "The next run of this program removes the rest. To remove it now, run on your own server: "
                        + BenchmarkSchema.DROP;
        err.println(rest.isEmpty() ? "Nothing is left behind." : "Stopped before everything was removed. " + rest);
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /** Tells the shutdown hook that the clean-up is complete. */
    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook now finishes by itself.
        }
    }
}
