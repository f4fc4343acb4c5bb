package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.rowlock.tool.UserError;

/**
 * Kills a process of the embedded server (SIGKILL), as an operating system without memory does. PostgreSQL then ends
 * all sessions, discards its shared memory with all locks, and starts again from its WAL. Commits that the server has
 * not acknowledged may be stored or lost.
 */
public record ServerCrash(BenchmarkServer server) {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** The server starts its checkpointer anew after a crash. */
    private static final String STARTED =
            "select max(backend_start)::text from pg_stat_activity where backend_type = 'checkpointer'";

    /** @throws UserError if the server belongs to the user */
    public static ServerCrash of(BenchmarkServer server) {
        if (!server.isEmbedded()) {
            throw new UserError("This benchmark kills its server while locks are held, and must not kill "
                    + server.address() + ". Leave out the server, so that an embedded one is used.");
        }
        return new ServerCrash(server);
    }

    /** Kills the server, and waits until it accepts connections again. */
    public void run() throws SQLException {
        String before;
        try (Connection connection = server.connect()) {
            before = Jdbc.text(connection, STARTED);
            ProcessHandle.of(Jdbc.number(connection, "select pg_backend_pid()"))
                    .orElseThrow()
                    .destroyForcibly();
        }
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!isStartedSince(before, deadline)) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private boolean isStartedSince(String before, long deadline) throws SQLException {
        try (Connection connection = server.connect()) {
            String now = Jdbc.text(connection, STARTED);
            return !now.isEmpty() && !now.equals(before);
        } catch (SQLException e) {
            if (System.nanoTime() > deadline) {
                throw e;
            }
            return false;
        }
    }
}
