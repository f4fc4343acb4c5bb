package org.rowlock.internal.verify;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Borrows the connections of a verification. All connections stay borrowed, because otherwise the pool would lend the
 * same connection again. For the first two connections, the verification waits as long as the pool allows. The
 * verification then borrows further connections, up to a limit, as long as the pool lends each connection within a
 * second.
 */
final class ProbeOpener {
    static final int LEAST = 2;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final Thread caller = Thread.currentThread();
    private boolean done;
    private boolean interrupted;

    private ProbeOpener() {}

    /**
     * Opens probes, up to the wanted number, as long as the DataSource has free connections.
     *
     * @throws SQLException if fewer than two connections are available
     */
    static void open(DataSource dataSource, int wanted, List<Probe> probes) throws SQLException {
        try {
            while (probes.size() < wanted) {
                probes.add(probes.size() < LEAST ? Probe.open(dataSource) : new ProbeOpener().openSoon(dataSource));
            }
        } catch (SQLException e) {
            if (probes.size() < LEAST) {
                throw e;
            }
        }
    }

    /**
     * Borrows a connection on the calling thread, because the DataSource may choose the database by thread. If the wait
     * takes too long, a timer interrupts the thread.
     */
    private Probe openSoon(DataSource dataSource) throws SQLException {
        Thread watch = new Thread(this::interruptLater, "rowlock-verification");
        watch.setDaemon(true);
        watch.start();
        try {
            Probe probe = Probe.open(dataSource);
            probe.requireAnswerWithin(SOON);
            return probe;
        } finally {
            if (isInterrupted()) {
                boolean unused = Thread.interrupted();
            }
        }
    }

    private synchronized void interruptLater() {
        try {
            long end = System.nanoTime() + SOON.toNanos();
            for (long left = SOON.toMillis(); !done && left > 0; left = (end - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException e) {
            return;
        }
        if (!done) {
            interrupted = true;
            caller.interrupt();
        }
    }

    /** Stops the timer. Returns true if the timer has interrupted the thread. The caller then clears the interrupt. */
    private synchronized boolean isInterrupted() {
        done = true;
        notifyAll();
        return interrupted;
    }
}
