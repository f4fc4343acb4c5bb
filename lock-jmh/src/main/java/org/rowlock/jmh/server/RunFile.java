package org.rowlock.jmh.server;

import static java.util.Objects.requireNonNull;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.ServerAddress;

/**
 * The file that passes the server's address and the user's statement to the forks. A command line would show the
 * password to every user of the machine.
 *
 * @param run the identity of the run, which marks the schema
 */
public record RunFile(
        ServerAddress address, String run, @Nullable OwnStatement own) {
    private static final String PROPERTY = "rowlock.jmh.run";

    /** Writes a temporary file. If the file system supports permissions, only the owner can read the file. */
    public Path write() {
        try {
            return Files.writeString(
                    Files.createTempFile(RunDirectory.create("run"), "rowlock-jmh", ".json"), new Gson().toJson(this));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The file for the forks cannot be written. Make room among the temporary files, or give another"
                            + " directory: java -Djava.io.tmpdir=..",
                    e);
        }
    }

    public static void delete(Path file) throws IOException {
        RunDirectory.remove(requireNonNull(file.getParent()));
    }

    public static String jvmOption(Path file) {
        return "-D" + PROPERTY + "=" + file;
    }

    /** Makes this JVM act as a fork, for a run without forks; null undoes this. */
    public static void setForThisJvm(@Nullable Path file) {
        if (file == null) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, file.toString());
        }
    }

    /** Returns the run to which this JVM belongs as a fork; null if this JVM is not a fork. */
    static @Nullable RunFile ofThisJvm() {
        String file = System.getProperty(PROPERTY);
        if (file == null) {
            return null;
        }
        try {
            return new Gson().fromJson(Files.readString(Path.of(file)), RunFile.class);
        } catch (IOException e) {
            throw new UncheckedIOException("The file of the run cannot be read", e);
        }
    }
}
