package org.rowlock.jmh.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.UserError;

/** Where the report goes. Made before the run, so that nobody waits for a report that cannot be written. */
final class ReportDirectory implements AutoCloseable {
    private final Path path;
    private final Deque<Path> made = new ArrayDeque<>();

    private ReportDirectory(Path path) {
        this.path = path;
    }

    /**
     * One that is not made yet.
     *
     * @param given by the user; null for a new one in the working directory
     */
    static ReportDirectory of(@Nullable Path given) {
        return new ReportDirectory(given == null ? byTime() : given.toAbsolutePath());
    }

    private static Path byTime() {
        String time = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneId.systemDefault()));
        return Path.of("rowlock-report-" + time).toAbsolutePath();
    }

    /**
     * Makes it, with those above it, and makes sure that it can be written to. What was made until a failure goes with
     * {@link #close}.
     *
     * @throws UserError if it is a file, or cannot be made or written to
     */
    void make() {
        try {
            makeMissing();
        } catch (IOException e) {
            throw new UserError(
                    "The report cannot be written to " + path + ": " + reason(e)
                            + " Give another directory with --report.",
                    e);
        }
    }

    private void makeMissing() throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path each = path; each != null && Files.notExists(each); each = each.getParent()) {
            missing.push(each);
        }
        for (Path each : missing) {
            Files.createDirectory(each);
            made.push(each);
        }
        if (!Files.isDirectory(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        Files.delete(Files.createTempFile(path, "rowlock", ".tmp"));
    }

    private static String reason(IOException e) {
        if (e instanceof FileAlreadyExistsException) {
            return "there is a file of this name.";
        }
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "this user may not write there.";
        }
        if (e instanceof NoSuchFileException) {
            return "the directory above it cannot be had.";
        }
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() + "." : message + ".";
    }

    Path path() {
        return path;
    }

    /** Removes what was made and is still empty. */
    @Override
    public void close() {
        for (Path each : made) {
            try (Stream<Path> files = Files.list(each)) {
                if (files.findAny().isEmpty()) {
                    Files.delete(each);
                }
            } catch (IOException e) {
                // An empty directory is left behind, which does no harm.
                return;
            }
        }
    }
}
