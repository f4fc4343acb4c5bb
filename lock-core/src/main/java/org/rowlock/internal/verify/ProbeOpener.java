package org.rowlock.internal.verify;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.rowlock.internal.session.SocketBound;

/**
 * Borrows the connections of a verification. All connections stay borrowed, because otherwise the pool would lend the
 * same connection again. For the first two connections, the verification waits as long as the pool allows. The
 * verification then borrows further connections, up to a limit, as long as the pool lends each connection within a
 * second.
 */
final class ProbeOpener {
    static final int LEAST = 2;

    private static final Duration SOON = Duration.ofSeconds(1);

    private ProbeOpener() {}

    /**
     * Opens probes, up to the wanted number, as long as the DataSource has free connections.
     *
     * @throws SQLException if fewer than two connections are available
     */
    static void open(DataSource dataSource, int wanted, List<Probe> probes) throws SQLException {
        try {
            while (probes.size() < wanted) {
                probes.add(probes.size() < LEAST ? Probe.open(dataSource) : openSoon(dataSource));
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
    private static Probe openSoon(DataSource dataSource) throws SQLException {
        Thread caller = Thread.currentThread();
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture.delayedExecutor(SOON.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> interrupt(caller, ended));
        try {
            Probe probe = Probe.open(dataSource);
            requireAnswer(probe);
            return probe;
        } finally {
            synchronized (ended) {
                if (ended.getAndSet(true)) {
                    boolean unused = Thread.interrupted();
                }
            }
        }
    }

    /**
     * Checks that the server answers. A pooler may accept a client even if the server is down.
     *
     * @throws SQLException if no answer arrives in time; the connection is then closed
     */
    private static void requireAnswer(Probe probe) throws SQLException {
        SocketBound soon = new SocketBound(probe.session, SOON.toMillis());
        try {
            String unused = probe.askAlone("select 1");
            soon.close();
        } catch (SQLException e) {
            probe.session.kill(e);
            probe.close();
            throw e;
        }
    }

    private static void interrupt(Thread caller, AtomicBoolean ended) {
        synchronized (ended) {
            if (!ended.getAndSet(true)) {
                caller.interrupt();
            }
        }
    }
}
