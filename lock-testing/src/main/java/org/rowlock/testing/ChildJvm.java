package org.rowlock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.postgresql.ds.PGSimpleDataSource;

/** Starts JVMs with the class path of the current JVM, and reads their output. */
public final class ChildJvm {
    /** The prefix of a line that reports an error while reading the output. */
    public static final String UNREADABLE = "unreadable ";

    private ChildJvm() {}

    /**
     * Starts a program. Its first arguments are URL, user and password of the database, followed by the given
     * arguments.
     *
     * @param heap the largest heap, such as {@code 64m}
     * @param said receives each printed line; must be thread-safe
     */
    public static Process start(
            Class<?> main,
            String heap,
            ProcessBuilder.Redirect errors,
            Queue<String> said,
            PGSimpleDataSource database,
            String... arguments)
            throws IOException {
        String password = database.getPassword();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                database.getURL(),
                database.getUser(),
                password == null ? "" : password));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectError(errors).start();
        Thread reader = new Thread(() -> read(process, said), "reader");
        reader.setDaemon(true);
        reader.start();
        return process;
    }

    /** Returns the database that a program is started with. */
    public static PGSimpleDataSource database(String[] arguments) {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(arguments[0]);
        database.setUser(arguments[1]);
        database.setPassword(arguments[2]);
        return database;
    }

    private static void read(Process process, Queue<String> said) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
            }
        } catch (IOException e) {
            said.add(UNREADABLE + e);
        }
    }
}
