package org.rowlock.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * A PostgreSQL server for tests. The tests of a JVM share one server, which is embedded by default. With {@code
 * -Drowlock.test.url}, {@code -Drowlock.test.user} and {@code -Drowlock.test.password}, the shared server is an
 * existing server. With {@code -Drowlock.test.testcontainers=true}, the server runs in a container. The version is
 * {@code -Drowlock.test.postgres.version}, by default 18.
 */
public final class TestPostgres {
    private static final TestPostgres SHARED = start(Map.of());

    private final String url;
    private final String user;
    private final String password;
    private final Closeable embedded;
    private Connection administrator;

    private TestPostgres(String url, String user, String password, Closeable embedded) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.embedded = embedded;
    }

    /** Returns the shared server. Its user is a superuser. */
    public static TestPostgres shared() {
        return SHARED;
    }

    /** Starts a separate embedded server with the given settings, for a test that stops or fills it. */
    public static TestPostgres embedded(Map<String, String> settings) {
        try {
            Path directory = Files.createTempDirectory("epg");
            return embedded(settings, directory, freePort(), () -> DataDirectory.delete(directory));
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL did not start", e);
        }
    }

    /**
     * Starts an embedded server on a data directory that stays after the server has stopped. A test can start another
     * server on the same directory.
     *
     * @param dataDirectory a new directory, or the data directory of a stopped server of the version that this method
     *     starts
     * @param port a free port, or the previous port if clients must find the server again
     */
    public static TestPostgres embedded(Map<String, String> settings, Path dataDirectory, int port) {
        return embedded(settings, dataDirectory, port, () -> {});
    }

    private static TestPostgres embedded(Map<String, String> settings, Path directory, int port, Closeable clean) {
        try {
            DataDirectory.fill(directory);
            EmbeddedPostgres.Builder builder = builder(directory, port);
            settings.forEach(builder::setServerConfig);
            EmbeddedPostgres server = builder.start();
            String url = server.getJdbcUrl("postgres", "postgres");
            TestPostgres started = new TestPostgres(url, "postgres", "postgres", () -> {
                server.close();
                clean.close();
            });
            Runtime.getRuntime().addShutdownHook(new Thread(started::stopAtExit));
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL did not start", e);
        }
    }

    static EmbeddedPostgres.Builder builder(Path directory, int port) {
        return EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .setServerConfig("max_connections", "200")
                .setRegisterShutdownHook(false)
                .setDataDirectory(directory)
                .setCleanDataDirectory(false)
                .setPort(port);
    }

    /** Returns an existing server. The URL contains user and password. */
    public static TestPostgres at(String url) {
        return new TestPostgres(url, null, null, null);
    }

    /**
     * Finds a free port outside the range from which the system assigns ports. From that range, the system might give
     * the port to another process before the server uses the port.
     */
    public static int freePort() throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
            try (ServerSocket free = new ServerSocket()) {
                free.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (BindException e) {
                // The port is taken. The loop tries another port.
            }
        }
        throw new IOException("No free port from 15000 to 31999");
    }

    private static TestPostgres start(Map<String, String> settings) {
        String given = System.getProperty("rowlock.test.url", "");
        if (!given.isEmpty()) {
            return new TestPostgres(
                    given,
                    System.getProperty("rowlock.test.user", "postgres"),
                    System.getProperty("rowlock.test.password", ""),
                    null);
        }
        if (Boolean.getBoolean("rowlock.test.testcontainers")) {
            String image = "postgres:" + System.getProperty("rowlock.test.postgres.version", "18");
            // A shutdown hook stops the server when the JVM ends.
            @SuppressWarnings("resource")
            PostgreSQLContainer container = new PostgreSQLContainer(image)
                    .withUsername("postgres")
                    // Poolers in tests do not know the passwords of their clients. The server therefore trusts every
                    // login, like the embedded server.
                    .withEnv("POSTGRES_HOST_AUTH_METHOD", "trust")
                    .withCommand("postgres", "-c", "max_connections=200");
            container.start();
            Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
            return new TestPostgres(container.getJdbcUrl(), container.getUsername(), container.getPassword(), null);
        }
        return embedded(settings);
    }

    public PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        if (user != null) {
            dataSource.setUser(user);
            dataSource.setPassword(password);
        }
        return dataSource;
    }

    /** Returns a data source for the same database through another local port, on which a proxy or a pooler listens. */
    public PGSimpleDataSource dataSourceAt(int port) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setServerNames(new String[] {"127.0.0.1"});
        dataSource.setPortNumbers(new int[] {port});
        return dataSource;
    }

    /**
     * Returns the connection that creates and drops the schemas of all tests. All tests share the connection, because
     * opening a connection takes longer than the statements.
     */
    synchronized Connection administrator() throws SQLException {
        if (administrator == null || !administrator.isValid((int) TestDatabase.DEADLINE.toSeconds())) {
            administrator = dataSource().getConnection();
        }
        return administrator;
    }

    public void execute(String... statements) throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            TestDatabase.execute(connection, statements);
        }
    }

    public String query(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            return TestDatabase.query(connection, sql);
        }
    }

    public String url() {
        return url;
    }

    public String user() {
        return user;
    }

    public String password() {
        return password;
    }

    public void stop() throws IOException {
        if (embedded != null) {
            embedded.close();
        }
    }

    private void stopAtExit() {
        try {
            stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
