package org.rowlock.jmh.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.rowlock.testing.DataDirectory;

/**
 * The temporary directory of this JVM, with data directories and the file for the forks. If a JVM is killed, the next
 * run stops the servers of that JVM and removes that JVM's directory.
 */
public final class RunDirectory {
    private static final String PREFIX = "rowlock-jmh-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)");

    private static final Path ROOT = Path.of(System.getProperty("java.io.tmpdir"));

    private RunDirectory() {}

    /** Whether a command line names a file in the directory of this JVM or of its parent JVM. */
    public static boolean isIn(String commandLine) {
        ProcessHandle self = ProcessHandle.current();
        return Stream.concat(Stream.of(self), self.parent().stream())
                .anyMatch(jvm -> commandLine.contains(ROOT.resolve(PREFIX + jvm.pid()) + File.separator));
    }

    public static Path create(String what) {
        try {
            Path own = ROOT.resolve(PREFIX + ProcessHandle.current().pid());
            Files.createDirectories(own);
            return Files.createTempDirectory(own, what);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "No directory can be created in " + ROOT + ". Make room there, or give another directory: java"
                            + " -Djava.io.tmpdir=..",
                    e);
        }
    }

    /** Stops the servers and removes the files of JVMs that have ended. */
    public static void removeLeftovers() {
        try (Stream<Path> files = Files.list(ROOT)) {
            for (Path each : files.toList()) {
                Matcher own = NAME.matcher(each.getFileName().toString());
                if (own.matches()
                        && ProcessHandle.of(Long.parseLong(own.group(1))).isEmpty()) {
                    remove(each);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // The directory belongs to another user, or another JVM has removed it. Remaining files only take space.
        }
    }

    /** Stops a server that runs in the directory, and removes the directory. An empty parent is removed too. */
    public static void remove(Path directory) throws IOException {
        // The walk is shallow, because a running server constantly creates and removes files below.
        try (Stream<Path> shallow = Files.walk(directory, 3)) {
            for (Path each :
                    shallow.filter(file -> file.endsWith("postmaster.pid")).toList()) {
                endPostmaster(each);
            }
        } catch (NoSuchFileException e) {
            return;
        }
        try {
            DataDirectory.delete(directory);
            Path parent = directory.getParent();
            if (parent != null && NAME.matcher(parent.getFileName().toString()).matches()) {
                Files.deleteIfExists(parent);
            }
        } catch (NoSuchFileException | DirectoryNotEmptyException e) {
            // Another JVM has removed the directory, or the parent has other content.
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void endPostmaster(Path pidFile) throws IOException {
        try (Stream<String> lines = Files.lines(pidFile)) {
            lines.findFirst()
                    .map(line -> Long.valueOf(line.trim()))
                    .flatMap(ProcessHandle::of)
                    .filter(process -> process.info().command().orElse("").contains("postgres"))
                    .ifPresent(postmaster -> {
                        List<ProcessHandle> others = postmaster.children().toList();
                        // The postmaster is killed first. Otherwise it would restart the other processes.
                        postmaster.destroyForcibly();
                        others.forEach(ProcessHandle::destroyForcibly);
                        // In a container that does not reap processes, the dead postmaster stays as a zombie, so the
                        // wait has a limit.
                        postmaster
                                .onExit()
                                .completeOnTimeout(postmaster, 5, TimeUnit.SECONDS)
                                .join();
                    });
        } catch (NoSuchFileException e) {
            // The server has stopped by itself.
        }
    }
}
