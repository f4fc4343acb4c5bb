package org.rowlock.jmh.server;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/**
 * The server that a benchmark measures, with a schema for its tables. A fork uses the server of its run. Any other JVM
 * uses the server at {@code -Drowlock.url} (with {@code -Drowlock.user} and {@code -Drowlock.password}), or starts an
 * embedded server. Every connection has the schema first in its search_path. Closing the server drops the schema, also
 * after Ctrl-C.
 */
public final class BenchmarkServer implements AutoCloseable {
    private final ServerAddress address;
    private final String run;
    private final String path;
    private Consumer<PGSimpleDataSource> networkPath = direct -> {};
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final Thread hook = new Thread(this::closeQuietly, "rowlock-jmh-cleanup");

    private BenchmarkServer(ServerAddress address, String run, @Nullable EmbeddedServer embedded) {
        this.address = address;
        this.run = run;
        OwnStatement own = OwnStatement.ofThisJvm();
        this.path = own == null ? BenchmarkSchema.NAME + ",public" : own.searchPath();
        resources.push(() -> remove(embedded));
    }

    private void remove(@Nullable EmbeddedServer embedded) {
        try {
            if (embedded != null) {
                embedded.close();
                return;
            }
            try (Connection connection = address.connect("rowlock-jmh cleanup")) {
                BenchmarkSchema.drop(connection, run);
            }
        } catch (IOException e) {
            throw new UserError(
                    "The embedded server may be left (" + e + "). The next run of this program removes it.", e);
        } catch (SQLException e) {
            throw BenchmarkSchema.left(address, e);
        }
    }

    /** Finds or starts the server, and creates the schema. */
    public static BenchmarkServer open(Map<String, String> embeddedSettings) throws SQLException {
        return opened(find(embeddedSettings));
    }

    private static BenchmarkServer opened(BenchmarkServer server) throws SQLException {
        boolean opened = false;
        try {
            // The call throws an exception if the JVM is already shutting down.
            Runtime.getRuntime().addShutdownHook(server.hook);
            try (Connection connection = server.connect()) {
                BenchmarkSchema.create(connection, server.run);
            }
            opened = true;
            return server;
        } finally {
            if (!opened) {
                server.close();
            }
        }
    }

    private static BenchmarkServer find(Map<String, String> embeddedSettings) {
        RunFile file = RunFile.ofThisJvm();
        if (file != null) {
            return new BenchmarkServer(file.address(), file.run(), null);
        }
        String run = UUID.randomUUID().toString();
        String url = System.getProperty("rowlock.url", "");
        if (!url.isEmpty()) {
            return new BenchmarkServer(
                    new ServerAddress(url, System.getProperty("rowlock.user"), System.getProperty("rowlock.password")),
                    run,
                    null);
        }
        EmbeddedServer embedded = EmbeddedServer.start(embeddedSettings);
        return new BenchmarkServer(embedded.address(), run, embedded);
    }

    public ServerAddress address() {
        return address;
    }

    /**
     * Returns a data source without a pool. Its connections count their round trips, unless the URL names a socket
     * factory.
     */
    public PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = BenchmarkSchema.dataSource(address, run);
        dataSource.setCurrentSchema(path);
        if (dataSource.getSocketFactory() == null) {
            dataSource.setSocketFactory(RoundTripCounter.class.getName());
        }
        networkPath.accept(dataSource);
        return dataSource;
    }

    /** Makes every later connection use a proxy with this round-trip time, in milliseconds; 0 for no proxy. */
    public Network over(double rttMillis) throws SQLException {
        Network network = closeWith(Network.open(address, rttMillis));
        networkPath = network::lead;
        return network;
    }

    public Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    public Connection begin() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    /**
     * Creates a pool whose connections are not in autocommit. The pool is full on return, so no measurement includes
     * the opening of a connection. {@link #close} closes the pool.
     */
    public HikariDataSource pool(int size) {
        return pool(size, dataSource());
    }

    /** Creates a full pool over this DataSource, without autocommit. {@link #close} closes the pool. */
    public HikariDataSource pool(int size, DataSource connections) {
        return closeWith(FullPool.of(size, connections));
    }

    public void execute(String... statements) throws SQLException {
        try (Connection connection = connect()) {
            Jdbc.execute(connection, statements);
        }
    }

    public long lockTableRoom() throws SQLException {
        try (Connection connection = connect()) {
            return ServerFacts.of(connection).lockTableRoom();
        }
    }

    public long[] numbers(String query) throws SQLException {
        try (Connection connection = connect()) {
            return Jdbc.numbers(connection, query);
        }
    }

    /** Registers a resource to close before the schema is dropped. The last registered resource is closed first. */
    public synchronized <T extends AutoCloseable> T closeWith(T resource) {
        resources.push(resource);
        return resource;
    }

    @FunctionalInterface
    public interface Step {
        void run() throws SQLException;
    }

    /** Closes all resources, and throws the first failure. A second call has no effect. */
    @Override
    public synchronized void close() throws SQLException {
        try {
            closeAll();
        } catch (SQLException | UserError e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException("Closing the benchmark's connections failed: " + e.getMessage(), e);
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The JVM is already shutting down, and the hook finds nothing to close.
            }
        }
    }

    /** Closes the resources in reverse order. A failure does not keep other resources open. */
    @SuppressWarnings("try")
    private void closeAll() throws Exception {
        if (!resources.isEmpty()) {
            try (AutoCloseable first = resources.removeLast()) {
                closeAll();
            }
        }
    }

    private void closeQuietly() {
        try {
            close();
        } catch (SQLException | UserError e) {
            System.err.println(e.getMessage());
        }
    }
}
