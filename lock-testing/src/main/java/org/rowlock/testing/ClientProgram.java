package org.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/** Runs programs of PostgreSQL that connect to a server, such as psql. */
public final class ClientProgram {
    private ClientProgram() {}

    /**
     * Runs a program, and returns its output. Skips the test if the program is not installed. Fails if the program
     * fails.
     *
     * @param at the server, database, user and application name; the arguments can override them
     */
    public static String run(PGSimpleDataSource at, String program, String... arguments)
            throws IOException, InterruptedException {
        assumeTrue(isInstalled(program), "skipped: " + program + " is not installed");
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        set(environment, "PGHOST", at.getServerNames()[0]);
        set(environment, "PGPORT", Integer.toString(at.getPortNumbers()[0]));
        set(environment, "PGDATABASE", at.getDatabaseName());
        set(environment, "PGUSER", at.getUser());
        set(environment, "PGPASSWORD", at.getPassword());
        set(environment, "PGAPPNAME", at.getApplicationName());
        if (at.getCurrentSchema() != null) {
            set(environment, "PGOPTIONS", "-c search_path=" + at.getCurrentSchema());
        }
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .as(output)
                .isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static void set(Map<String, String> environment, String name, String value) {
        if (value != null) {
            environment.put(name, value);
        }
    }

    private static boolean isInstalled(String program) throws InterruptedException {
        try {
            return new ProcessBuilder(program, "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
