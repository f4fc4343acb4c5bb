package org.rowlock.jmh.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.UserError;

/**
 * Kills a server and starts it again: the embedded one of this JVM, or the user's with the command that
 * {@code -Drowlock.crash-command} gives. That is a line for the shell, which returns when the server is up again, or will
 * be without more ado. Not thread-safe.
 */
public final class ServerCrash {
    private static final String COMMAND = "rowlock.crash-command";
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int SHOWN_OUTPUT = 1_000;

    private final @Nullable Postmaster embedded;
    private final String command;

    private ServerCrash(@Nullable Postmaster embedded, String command) {
        this.embedded = embedded;
        this.command = command;
    }

    /**
     * Looks how the server can be killed.
     *
     * @throws UserError if it is the user's, and there is no command
     */
    public static ServerCrash of(BenchmarkServer server) throws SQLException {
        String command = System.getProperty(COMMAND, "");
        if (server.isEmbedded()) {
            try (Connection superuser = server.connect()) {
                return new ServerCrash(Postmaster.of(superuser), "");
            }
        }
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
        if (embedded != null) {
            embedded.kill();
            embedded.start(TIMEOUT);
        } else {
            runCommand();
        }
    }

    private void runCommand() throws IOException {
        List<String> shell =
                System.getProperty("os.name").startsWith("Windows") ? List.of("cmd", "/c") : List.of("sh", "-c");
        // Not a pipe: the server that the command starts may inherit it, and it would not end with the command.
        Path output = Files.createTempFile("rowlock-crash-command", ".log");
        try {
            Process process = new ProcessBuilder(shell.get(0), shell.get(1), command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw failed("has not returned within " + TIMEOUT.toSeconds() + " s", output);
            }
            if (process.exitValue() != 0) {
                throw failed("failed with exit status " + process.exitValue(), output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while the command ran that kills and restarts the server", e);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static UserError failed(String how, Path output) throws IOException {
        String text = Files.readString(output).strip();
        return new UserError("The command that kills and restarts the server " + how
                + (text.isEmpty()
                        ? ", and said nothing."
                        : ". It said: " + text.substring(Math.max(0, text.length() - SHOWN_OUTPUT)))
                + " Try it by hand, and give one that works as -D" + COMMAND + ".");
    }
}
