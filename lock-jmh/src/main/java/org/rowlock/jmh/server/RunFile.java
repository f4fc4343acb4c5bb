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
 * The file by which a run passes the server to its forks. Only its owner may read it. A command line would show the
 * password to every user of the machine.
 *
 * @param address the server
 * @param run the identity of the run, by which its schema is recognized
 * @param own the statement of the user that is measured; null for none
 */
public record RunFile(
        ServerAddress address, String run, @Nullable OwnStatement own) {
    private static final String PROPERTY = "rowlock.jmh.run";

    /** Writes the data to a temporary file. Only the owner may read it, if the file system supports permissions. */
    public Path write() {
        try {
            return Files.writeString(
                    Files.createTempFile(RunDirectory.create("run"), "rowlock-jmh", ".json"), new Gson().toJson(this));
        } catch (IOException e) {
            throw new UncheckedIOException("The file for the forks cannot be written", e);
        }
    }

    public static void delete(Path file) throws IOException {
        RunDirectory.remove(requireNonNull(file.getParent()));
    }

    /** Returns the option of a fork's command line that names the file. */
    public static String jvmOption(Path file) {
        return "-D" + PROPERTY + "=" + file;
    }

    /** Makes this JVM act as a fork of the run, for a run without forks; null ends that. */
    public static void setForThisJvm(@Nullable Path file) {
        if (file == null) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, file.toString());
        }
    }

    /** Returns the run of which this JVM is a fork; null if it is none. */
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
