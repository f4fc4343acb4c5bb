package org.rowlock.jmh.server;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerAddress;

/**
 * How a run passes its forks the server to use. A file that only its owner may read, since a command line shows a
 * password to everybody on the machine.
 *
 * @param address the server
 * @param run the identity of the run, by which its schema is known as ours
 */
public record RunFile(ServerAddress address, String run) {
    private static final String PROPERTY = "rowlock.jmh.run";

    /** Writes it to a temporary file, readable by the owner alone where the file system knows of such. */
    public Path write() {
        Properties properties = new Properties();
        properties.setProperty("url", address.url());
        put(properties, "user", address.user());
        put(properties, "password", address.password());
        properties.setProperty("run", run);
        try {
            Path file = Files.createTempFile(RunDirectory.create("run"), "rowlock-jmh", ".properties");
            try (Writer writer = Files.newBufferedWriter(file)) {
                properties.store(writer, null);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("The file for the forks cannot be written", e);
        }
    }

    /** Removes one that was written. */
    public static void delete(Path file) throws IOException {
        RunDirectory.remove(requireNonNull(file.getParent()));
    }

    /** The option of a fork's command line that names the file. */
    public static String jvmOption(Path file) {
        return "-D" + PROPERTY + "=" + file;
    }

    /** Makes this JVM a fork of the run, where it is to have none; null ends that. */
    public static void setForThisJvm(@Nullable Path file) {
        if (file == null) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, file.toString());
        }
    }

    /** The run of which this JVM is a fork, if it is one. */
    static @Nullable RunFile ofThisJvm() {
        String file = System.getProperty(PROPERTY);
        if (file == null) {
            return null;
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file))) {
            properties.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException("The file of the run cannot be read", e);
        }
        return new RunFile(
                new ServerAddress(
                        properties.getProperty("url"),
                        properties.getProperty("user"),
                        properties.getProperty("password")),
                properties.getProperty("run"));
    }

    private static void put(Properties properties, String name, @Nullable String value) {
        if (value != null) {
            properties.setProperty(name, value);
        }
    }
}
