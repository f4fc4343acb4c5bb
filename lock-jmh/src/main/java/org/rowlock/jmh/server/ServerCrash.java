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
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.UserError;

/**
 * Kills a server and starts it again: the embedded one of this JVM, or the user's with the command that
 * {@code -Drowlock.crash-command} gives. That is a line for the shell, which returns when the server is up again, or
 * will be without more ado. Not thread-safe.
 *
 * @param dataDirectory of the embedded server; null for the user's
 */
public record ServerCrash(@Nullable Path dataDirectory, String command) {
    private static final String COMMAND = "rowlock.crash-command";
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final int SHOWN_OUTPUT = 1_000;

    /**
     * Looks how the server can be killed.
     *
     * @throws UserError if it is the user's, and there is no command
     */
    public static ServerCrash of(BenchmarkServer server) throws SQLException {
        if (server.isEmbedded()) {
            try (Connection superuser = server.connect()) {
                return new ServerCrash(Path.of(Sql.text(superuser, "show data_directory")), "");
            }
        }
        String command = System.getProperty(COMMAND, "");
        if (command.isBlank()) {
            throw new UserError("This benchmark kills the server while locks are held, and " + server.address()
                    + " is not one of ours to kill. Give a command for the shell that kills and restarts it, -D"
                    + COMMAND
                    + "='..' (of a server that nobody else needs), or give no server, and an embedded one is killed.");
        }
        return new ServerCrash(null, command);
    }

    /** Kills, and starts again. An embedded server is gone, and its restart under way, within milliseconds. */
    public void run() throws IOException {
        if (dataDirectory != null) {
            kill(dataDirectory);
            restart(dataDirectory);
            return;
        }
        // Not a pipe: the server that the command starts may inherit it, and it would not end with the command.
        Path output = Files.createTempFile("rowlock-crash-command", ".log");
        try {
            boolean isWindows = System.getProperty("os.name").startsWith("Windows");
            int status = run(isWindows ? List.of("cmd", "/c", command) : List.of("sh", "-c", command), output);
            if (status != 0) {
                String text = Files.readString(output).strip();
                throw new UserError("The command that kills and restarts the server failed with exit status " + status
                        + ". It said: " + text.substring(Math.max(0, text.length() - SHOWN_OUTPUT))
                        + " Try it by hand, and give one that works as -D" + COMMAND + ".");
            }
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /**
     * SIGKILL to all its processes, as when the machine or the container dies. What was being committed may be or not.
     */
    static void kill(ProcessHandle postmaster) {
        List<ProcessHandle> others = postmaster.children().toList();
        // The first, or it would see the others die and go on without them.
        postmaster.destroyForcibly();
        others.forEach(ProcessHandle::destroyForcibly);
    }

    private static void kill(Path dataDirectory) throws IOException {
        Path pidFile = dataDirectory.resolve("postmaster.pid");
        // PostgreSQL's own order of lines: process, data directory, start, port, directory of the Unix socket.
        List<String> lines = Files.readAllLines(pidFile);
        kill(ProcessHandle.of(Long.parseLong(lines.get(0).trim()))
                .orElseThrow(() -> new IOException("There is no process that " + pidFile + " names")));
        // A dead process stays as a zombie until somebody reaps it, in some containers forever, and by these files
        // PostgreSQL would take it for one that runs. Whether any is still at work it sees by its shared memory.
        Files.delete(pidFile);
        Files.deleteIfExists(Path.of(lines.get(4), ".s.PGSQL." + lines.get(3) + ".lock"));
    }

    /** With the options that it had, at the same port. Returns when it takes connections. */
    private static void restart(Path dataDirectory) throws IOException {
        // Kept by PostgreSQL for pg_ctl restart: the program, and its options in quotes.
        String program =
                Files.readString(dataDirectory.resolve("postmaster.opts")).split(" \"", 2)[0];
        Path log = dataDirectory.resolve("restart.log");
        List<String> restart = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // How the embedded server came to run as root, which PostgreSQL refuses.
            restart.addAll(List.of("unshare", "-U"));
        }
        String control = Path.of(program).resolveSibling("pg_ctl").toString();
        restart.addAll(List.of(control, "restart", "-w", "-D", dataDirectory.toString(), "-l", log.toString()));
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        // It refuses to start as long as a process of the killed one is left.
        while (run(restart, null) != 0) {
            if (System.nanoTime() > deadline) {
                throw new IOException("The killed PostgreSQL did not start again: " + Files.readString(log));
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Gives the exit status; -1 for a program that does not end. */
    private static int run(List<String> program, @Nullable Path output) throws IOException {
        Process process = new ProcessBuilder(program)
                .redirectErrorStream(true)
                .redirectOutput(
                        output == null ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.to(output.toFile()))
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
