package org.rowlock.testing;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

/** A PgBouncer of one's own in front of the shared server, where it is installed. */
public final class TestPgBouncer implements AutoCloseable {
    private static final List<String> PLACES =
            List.of("/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin");

    private final Process process;
    private final Path directory;
    private final int port;
    private final String database;
    private final TestPostgres server;

    private TestPgBouncer(Process process, Path directory, int port, String database, TestPostgres server) {
        this.process = process;
        this.directory = directory;
        this.port = port;
        this.database = database;
        this.server = server;
    }

    /** The program, in PATH or where packages put it. */
    public static Optional<Path> program() {
        Stream<String> path =
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"));
        return Stream.concat(path, PLACES.stream())
                .filter(place -> !place.isEmpty())
                .map(place -> Path.of(place, "pgbouncer"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts one.
     *
     * @param poolMode transaction, session or statement
     * @param connectQuery what each of its server connections runs first, or empty
     * @param settings more of its settings
     */
    public static TestPgBouncer start(String poolMode, String connectQuery, Map<String, String> settings)
            throws IOException {
        TestPostgres server = TestPostgres.shared();
        Properties place = Driver.parseURL(server.url(), new Properties());
        String database = place.getProperty("PGDBNAME");
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        // Readable by the user that PgBouncer becomes where it is started as root, which it refuses to run as.
        Path directory = Files.createTempDirectory("pgbouncer");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
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
        if (isRoot()) {
            lines.add("user = nobody");
        }
        settings.forEach((name, value) -> lines.add(name + " = " + value));
        Path ini = Files.write(directory.resolve("pgbouncer.ini"), lines);
        Path log = directory.resolve("pgbouncer.log");
        Process process = new ProcessBuilder(program().orElseThrow().toString(), ini.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        // Not left behind by a JVM that ends in the middle of a test.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        TestPgBouncer bouncer = new TestPgBouncer(process, directory, port, database, server);
        try {
            Awaitility.await("PgBouncer is up").atMost(TestDatabase.DEADLINE).until(() -> {
                if (!process.isAlive()) {
                    throw new IllegalStateException("PgBouncer has ended: " + Files.readString(log));
                }
                return bouncer.isUp();
            });
        } catch (RuntimeException e) {
            bouncer.close();
            throw e;
        }
        return bouncer;
    }

    private boolean isUp() {
        try (Connection connection = dataSource().getConnection()) {
            return !connection.isClosed();
        } catch (SQLException e) {
            return false;
        }
    }

    private static boolean isRoot() {
        return "root".equals(ProcessHandle.current().info().user().orElse(""));
    }

    /** Connections through it. It knows no search_path, so tables need their schema. */
    public PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl("jdbc:postgresql://127.0.0.1:" + port + '/' + database);
        dataSource.setUser(server.user());
        dataSource.setPassword(server.password());
        return dataSource;
    }

    /** Its version, such as {1, 18}. */
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
        process.destroy();
        try {
            if (!process.waitFor(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
