package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.jmh.server.RunDirectory;
import org.rowlock.tool.UserError;

/**
 * Crashes the server while a transaction holds locks. The result is the time from the crash until the recovered server
 * grants one of these locks. The benchmark needs an embedded server.
 */
public class LockLoss extends LockWorkload {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(10);

    /** The number of locks held when the server is killed, limited to half the capacity of the lock table. */
    @Param("10000")
    public int locks;

    @Param("20")
    public int clients;

    private int held;
    private double firstMillis;

    @Override
    void prepare() throws SQLException {
        held = (int) Math.min(locks, server.lockTableRoom() / 2);
        Accounts.create(server, held);
        Connection holder = server.closeWith(server.begin());
        Locking other = new Locking(strategy, false, server.dataSource(), Accounts.TABLE, Accounts.ID);
        other.lockAll(holder, IntStream.rangeClosed(1, held).boxed().toList(), RowLockMode.FOR_UPDATE);
        Accounts.raise(holder, 1);
        long killed = System.nanoTime();
        crash(server);
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        locking.transaction(1, connection -> {
            firstMillis = (System.nanoTime() - killed) / 1e6;
            if (Accounts.read(connection, 1) != 0) {
                throw new InvariantViolation("the killed transaction was not committed, and its update is stored");
            }
        });
        threads.add("client", clients, number -> client(locking));
    }

    /**
     * Kills the process of a session. PostgreSQL then ends all sessions, loses its lock table and recovers from the
     * WAL. Returns when the server accepts connections again.
     */
    static void crash(BenchmarkServer server) throws SQLException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        try (Connection victim = server.connect();
                Connection witness = server.connect()) {
            ProcessHandle.of(Jdbc.number(victim, "select pg_backend_pid()"))
                    .filter(process -> process.parent()
                            .flatMap(postmaster -> postmaster.info().commandLine())
                            .filter(RunDirectory::isIn)
                            .isPresent())
                    .orElseThrow(() -> new UserError("This benchmark kills its server while locks are held, and must"
                            + " not kill " + server.address() + ". Leave out the server, so that an embedded one is"
                            + " used."))
                    .destroyForcibly();
            while (witness.isValid(1) || !accepts(server)) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("The killed PostgreSQL did not start again");
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private static boolean accepts(BenchmarkServer server) {
        try (Connection connection = server.connect()) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Creates a client that locks one of the rows that were locked when the server was killed. */
    private Clients.Operation client(Locking locking) {
        DiscreteSampler keys = Zipf.zipf(held, 1.1);
        return () -> {
            int aid = keys.sample();
            locking.transaction(aid, connection -> Accounts.raise(connection, aid));
            return 1;
        };
    }

    @Override
    void ends(Published results) {
        results.put("firstGranted", firstMillis, "ms");
        results.put("locksHeld", (double) held, "");
    }
}
