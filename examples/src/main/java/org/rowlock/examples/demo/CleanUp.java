package org.rowlock.examples.demo;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes what the demo opened, the last first, exactly once: when the run ends, however it ends, or when the program is
 * stopped (Ctrl-C). Thread-safe.
 */
final class CleanUp implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final PrintStream err;
    private final Thread hook = new Thread(this::stop, "rowlock-demo-clean-up");
    private volatile boolean stopping;
    private boolean closed;

    CleanUp(PrintStream err) {
        this.err = err;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Whether the program is to stop, so that what fails from now on is no news. */
    boolean isStopping() {
        return stopping;
    }

    /**
     * Opens something and takes it on. A stop waits for that, so that what is half open is not forgotten.
     *
     * @throws DemoException if the program is to stop; nothing is opened then
     */
    synchronized <T extends AutoCloseable> T open(Supplier<T> opening) {
        if (closed) {
            throw new DemoException("The demo was told to stop.");
        }
        T resource = opening.get();
        open.push(resource);
        return resource;
    }

    private void stop() {
        stopping = true;
        err.println();
        err.println("Told to stop: ending the clients and cleaning up.");
        DemoException failure = closeAll();
        err.println(failure == null ? "Nothing is left behind." : failure.getMessage());
    }

    /**
     * Closes everything.
     *
     * @throws DemoException if something does not close; all others are closed
     */
    @Override
    public void close() {
        DemoException failure = closeAll();
        if (!stopping) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The hook has begun in this very moment, and finds nothing to do.
                stopping = true;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private synchronized @Nullable DemoException closeAll() {
        closed = true;
        DemoException failure = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                DemoException told = e instanceof DemoException demo
                        ? demo
                        : new DemoException("Cleaning up failed: " + DemoErrors.describe(e), e);
                if (failure == null) {
                    failure = told;
                } else {
                    failure.addSuppressed(told);
                }
            }
        }
        return failure;
    }
}
