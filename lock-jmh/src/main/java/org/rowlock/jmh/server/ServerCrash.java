package org.rowlock.jmh.server;

import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rowlock.tool.UserError;

/** Kills and restarts the embedded server of this JVM. Not thread-safe. */
public record ServerCrash(Path dataDirectory) {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** Finds the data directory of the server. */
    public static ServerCrash of(BenchmarkServer server) throws SQLException {
        if (!server.isEmbedded()) {
            throw new UserError("This benchmark kills its server while locks are held, and must not kill "
                    + server.address() + ". Leave out the server, so that an embedded one is used.");
        }
        try (Connection superuser = server.connect()) {
            return new ServerCrash(Path.of(Jdbc.text(superuser, "show data_directory")));
        }
    }

    public void run() throws IOException {
        kill(dataDirectory);
        restart(dataDirectory);
    }

    /**
     * Sends SIGKILL to all processes of the server, as in a crash of the container. Commits that the server has not
     * acknowledged may be stored or lost.
     */
    static void kill(ProcessHandle postmaster) {
        List<ProcessHandle> others = postmaster.children().toList();
        // The postmaster is killed first. Otherwise the postmaster would notice the death of the other processes and
        // restart these processes.
        postmaster.destroyForcibly();
        others.forEach(ProcessHandle::destroyForcibly);
    }

    private static void kill(Path dataDirectory) throws IOException {
        Path pidFile = dataDirectory.resolve("postmaster.pid");
        // The lines of postmaster.pid are: process, data directory, start time, port, directory of the Unix socket.
        List<String> lines = Files.readAllLines(pidFile);
        kill(ProcessHandle.of(Long.parseLong(lines.get(0).trim()))
                .orElseThrow(() -> new IOException("There is no process that " + pidFile + " names")));
        // In some containers a dead process stays as a zombie forever. With postmaster.pid and the socket's lock file,
        // PostgreSQL would take the zombie for a running server. Without these files, PostgreSQL still detects a live
        // process by the shared memory.
        Files.delete(pidFile);
        Files.deleteIfExists(Path.of(lines.get(4), ".s.PGSQL." + lines.get(3) + ".lock"));
    }

    /** Starts the server with its former options and port, and waits until the server accepts connections. */
    private static void restart(Path dataDirectory) throws IOException {
        // postmaster.opts has the path of the program, followed by the options in quotes.
        String program =
                Files.readString(dataDirectory.resolve("postmaster.opts")).split(" \"", 2)[0];
        Path log = dataDirectory.resolve("restart.log");
        List<String> restart = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // PostgreSQL refuses to run as root, so the library has started the embedded server by unshare too.
            restart.addAll(List.of("unshare", "-U"));
        }
        String control = Path.of(program).resolveSibling("pg_ctl").toString();
        restart.addAll(List.of(control, "restart", "-w", "-D", dataDirectory.toString(), "-l", log.toString()));
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        // The server refuses to start while a process of the killed server remains.
        while (run(restart) != 0) {
            if (System.nanoTime() > deadline) {
                throw new IOException("The killed PostgreSQL did not start again: " + Files.readString(log));
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private static int run(List<String> program) throws IOException {
        Process process = new ProcessBuilder(program)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            process.destroyForcibly();
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while the server was started again", e);
        }
    }
}
