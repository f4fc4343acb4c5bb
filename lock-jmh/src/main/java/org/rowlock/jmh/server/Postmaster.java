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
import java.util.concurrent.locks.LockSupport;

/** The main process of an embedded server, to be killed and started again. Known by its data directory alone. */
record Postmaster(Path dataDirectory) {
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** That of the server at the other end, which must be on this machine. */
    static Postmaster of(Connection superuser) throws SQLException {
        return new Postmaster(Path.of(Sql.text(superuser, "show data_directory")));
    }

    /** SIGKILL to all its processes, as when the machine or the container dies. What was being committed may be or not. */
    void kill() throws IOException {
        Path pidFile = dataDirectory.resolve("postmaster.pid");
        // PostgreSQL's own order of lines: process, data directory, start, port, directory of the Unix socket.
        List<String> lines = Files.readAllLines(pidFile);
        long pid = Long.parseLong(lines.get(0).trim());
        ProcessHandle postmaster = ProcessHandle.of(pid)
                .orElseThrow(() -> new IOException("There is no process " + pid + ", which " + pidFile + " names"));
        List<ProcessHandle> others = postmaster.children().toList();
        // The first, or it would see the others die and go on without them.
        postmaster.destroyForcibly();
        others.forEach(ProcessHandle::destroyForcibly);
        // A dead process stays as a zombie until somebody reaps it, in some containers forever, and by these files
        // PostgreSQL would take it for one that runs. Whether any is still at work it sees by its shared memory.
        Files.delete(pidFile);
        Files.deleteIfExists(Path.of(lines.get(4), ".s.PGSQL." + lines.get(3) + ".lock"));
    }

    /** With the options that it had, at the same port. Returns when it takes connections. */
    void start(Duration timeout) throws IOException {
        // Kept by PostgreSQL for pg_ctl restart: the program, and its options in quotes.
        String program =
                Files.readString(dataDirectory.resolve("postmaster.opts")).split(" \"", 2)[0];
        Path log = dataDirectory.resolve("restart.log");
        List<String> command = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // How the embedded server came to run as root, which PostgreSQL refuses.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(
                Path.of(program).resolveSibling("pg_ctl").toString(),
                "restart",
                "-w",
                "-t",
                Long.toString(timeout.toSeconds()),
                "-D",
                dataDirectory.toString(),
                "-l",
                log.toString()));
        long deadline = System.nanoTime() + timeout.toNanos();
        // It refuses to start as long as a process of the killed one is left.
        while (run(command) != 0) {
            if (System.nanoTime() > deadline) {
                throw new IOException("The killed PostgreSQL did not start again within " + timeout.toSeconds() + " s: "
                        + Files.readString(log));
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private static int run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while PostgreSQL was started again", e);
        }
    }
}
