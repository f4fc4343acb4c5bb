package org.rowlock.internal.verify;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The connections of one round of a verification: two, and as many more as are given without delay. */
final class Probes implements AutoCloseable {
    static final int MOST = 16;

    /** A pool that is used up makes its callers wait, often for half a minute. */
    private static final long PATIENCE_MILLIS = 1_000;

    private final List<Probe> probes = new ArrayList<>(MOST);

    private Probes() {}

    static Probes open(DataSource dataSource, int most) throws SQLException {
        Probes probes = new Probes();
        try {
            probes.probes.add(Probe.open(dataSource));
            probes.probes.add(Probe.open(dataSource));
            Probe more = most > 2 ? openSoon(dataSource) : null;
            while (more != null) {
                probes.probes.add(more);
                more = probes.probes.size() < most ? openSoon(dataSource) : null;
            }
            return probes;
        } catch (SQLException | RuntimeException e) {
            probes.close();
            throw e;
        }
    }

    /** On the caller's thread, as a DataSource may choose the database by it. */
    private static @Nullable Probe openSoon(DataSource dataSource) {
        Impatience impatience = new Impatience(Thread.currentThread());
        try {
            return Probe.open(dataSource);
        } catch (SQLException | RuntimeException e) {
            // Two are there, and no more are to be had.
            return null;
        } finally {
            impatience.end();
        }
    }

    /** Interrupts a thread that waits for too long. */
    private static final class Impatience {
        private final Thread waiting;
        private boolean over;
        private boolean interrupted;

        Impatience(Thread waiting) {
            this.waiting = waiting;
            Thread watch = new Thread(this::watch, "rowlock-verify");
            watch.setDaemon(true);
            watch.start();
        }

        private synchronized void watch() {
            long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
            try {
                for (long left = PATIENCE_MILLIS; left > 0 && !over; left = (end - System.nanoTime()) / 1_000_000) {
                    wait(left);
                }
            } catch (InterruptedException e) {
                return;
            }
            if (!over) {
                interrupted = true;
                waiting.interrupt();
            }
        }

        synchronized void end() {
            over = true;
            notifyAll();
            if (interrupted) {
                // Ours, and for this wait only.
                Thread.interrupted();
            }
        }
    }

    List<Probe> all() {
        return probes;
    }

    @Override
    public void close() throws SQLException {
        SQLException failure = null;
        for (Probe probe : probes) {
            try {
                probe.close();
            } catch (SQLException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
