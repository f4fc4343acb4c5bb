package org.rowlock.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

/** A PgBouncer that a test starts in front of the shared server, if PgBouncer is installed. */
public final class TestPgBouncer implements AutoCloseable {
    private final PoolerProcess process;
    private final TestPostgres server;
    private final int port;

    private TestPgBouncer(PoolerProcess process, TestPostgres server, int port) {
        this.process = process;
        this.server = server;
        this.port = port;
    }

    public static Optional<Path> program() {
        return PoolerProcess.program("pgbouncer");
    }

    /**
     * Starts a PgBouncer.
     *
     * @param poolMode transaction, session or statement
     * @param connectQuery the first statement of each server connection of PgBouncer; empty for none
     * @param settings further settings
     */
    public static TestPgBouncer start(String poolMode, String connectQuery, Map<String, String> settings)
            throws IOException {
        TestPostgres server = TestPostgres.shared();
        Properties place = Driver.parseURL(server.url(), new Properties());
        String database = place.getProperty("PGDBNAME");
        int port = TestPostgres.freePort();
        Path directory = PoolerProcess.directory("pgbouncer");
        Path users = directory.resolve("users.txt");
        Files.writeString(users, '"' + server.user() + "\" \"" + server.password() + "\"\n");
        List<String> lines = new ArrayList<>(List.of(
                "[databases]",
                database + " = host=" + place.getProperty("PGHOST") + " port=" + place.getProperty("PGPORT")
                        + (connectQuery.isEmpty() ? "" : " connect_query='" + connectQuery + "'"),
                "[pgbouncer]",
                "listen_addr = 127.0.0.1",
                "listen_port = " + port,
                "unix_socket_dir =",
                "auth_type = trust",
                "auth_file = " + users,
                "ignore_startup_parameters = extra_float_digits",
                "pool_mode = " + poolMode));
        if (PoolerProcess.isRoot()) {
            // PgBouncer refuses to run as root.
            lines.add("user = nobody");
        }
        settings.forEach((name, value) -> lines.add(name + " = " + value));
        Path ini = Files.write(directory.resolve("pgbouncer.ini"), lines);
        PoolerProcess process = PoolerProcess.start(
                directory, server.dataSourceAt(port), program().orElseThrow().toString(), ini.toString());
        return new TestPgBouncer(process, server, port);
    }

    /**
     * Returns a data source of connections through the pooler. The connections have no search_path, so table names need
     * their schema.
     */
    public PGSimpleDataSource dataSource() {
        return server.dataSourceAt(port);
    }

    /** Returns the version of PgBouncer, such as {1, 18}. */
    public static int[] version() throws IOException {
        Process process = new ProcessBuilder(program().orElseThrow().toString(), "--version")
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Arrays.stream(text.lines()
                        .findFirst()
                        .orElseThrow()
                        .replaceAll("[^0-9.]", "")
                        .split("\\."))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
