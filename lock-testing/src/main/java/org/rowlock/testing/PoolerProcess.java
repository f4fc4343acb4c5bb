package org.rowlock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** A process of a connection pooler that is installed on this machine. */
final class PoolerProcess implements AutoCloseable {
    private static final List<String> PLACES =
            List.of("/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin");

    private final Process process;
    private final Path directory;

    private PoolerProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    /** Finds a program in PATH or in the directories where packages install poolers. */
    static Optional<Path> program(String name) {
        Stream<String> path =
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"));
        return Stream.concat(path, PLACES.stream())
                .filter(place -> !place.isEmpty())
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Creates a directory for the pooler's files. A pooler that root starts may switch to another user, so every user
     * can read the directory.
     */
    static Path directory(String name) throws IOException {
        Path directory = Files.createTempDirectory(name);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        return directory;
    }

    /** Starts the pooler, and waits until connections work. Closing the pooler deletes the directory. */
    static PoolerProcess start(Path directory, DataSource through, String... command) throws IOException {
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        // The hook stops the pooler if the JVM exits during a test.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        PoolerProcess pooler = new PoolerProcess(process, directory);
        try {
            TestDatabase.await(command[0] + " is up").until(() -> {
                if (!process.isAlive()) {
                    throw new IllegalStateException(command[0] + " has ended: " + Files.readString(log));
                }
                return isUp(through);
            });
        } catch (RuntimeException e) {
            pooler.close();
            throw e;
        }
        return pooler;
    }

    private static boolean isUp(DataSource through) {
        try (Connection connection = through.getConnection()) {
            return !connection.isClosed();
        } catch (SQLException e) {
            return false;
        }
    }

    static boolean isRoot() {
        return "root".equals(ProcessHandle.current().info().user().orElse(""));
    }

    @Override
    public void close() throws IOException {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroy);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
