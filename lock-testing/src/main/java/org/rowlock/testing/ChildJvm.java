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
    /** The beginning of a line that reports why the output could not be read. */
    public static final String UNREADABLE = "unreadable ";

    private ChildJvm() {}

    /**
     * Starts a program. The first arguments of the program are URL, user and password of the database.
     *
     * @param heap the largest heap, such as {@code 64m}
     * @param errors the destination of the error output
     * @param said receives each line that the program prints; must be thread-safe
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
