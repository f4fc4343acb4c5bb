package org.rowlock.jmh.profile;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.LongSupplier;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.tool.ServerAddress;

/**
 * A measured period of time. A window records the server's counters, the waits of its sessions and the processor times.
 * Not thread-safe.
 */
public final class Window {
    private static final String APPLICATION_NAME = "rowlock-jmh-profiler";

    private final Connection connection;
    private final WaitSampler sampler;
    private final ServerCounters before;
    private final Processors processors;
    private final Processors.Taken takenBefore;
    private final long completedBefore;
    private final long begun;

    private Window(Connection connection, WaitSampler sampler, LongSupplier completed) throws SQLException {
        this.connection = connection;
        this.sampler = sampler;
        this.processors = Processors.of(connection);
        this.takenBefore = processors.taken();
        this.before = ServerCounters.read(connection);
        this.completedBefore = completed.getAsLong();
        this.begun = System.nanoTime();
    }

    /** Opens a window for a benchmark's server. */
    public static Window open(BenchmarkServer server, LongSupplier completed) throws SQLException {
        Window window = open(server.address(), completed);
        // If the benchmark fails before the window ends, closing the server also closes the window.
        server.closeWith(window.connection);
        server.closeWith(window.sampler);
        return window;
    }

    static Window open(ServerAddress address, LongSupplier completed) throws SQLException {
        Connection connection = address.connect(APPLICATION_NAME);
        try {
            WaitSampler sampler = WaitSampler.start(address.connect(APPLICATION_NAME));
            return new Window(connection, sampler, completed);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    public Published end(long completed) throws SQLException {
        double seconds = (System.nanoTime() - begun) / 1e9;
        long operations = completed - completedBefore;
        Published results = new Published(seconds, operations / seconds);
        try (connection) {
            ServerCounters counted = ServerCounters.read(connection).since(before);
            processors.taken().since(takenBefore).addTo(results, operations);
            results.put("wal.rate", (double) counted.walBytes() / seconds, "B/s");
            if (operations > 0) {
                counted.addTo(results, (double) operations);
            }
        }
        Map<String, Double> waits = sampler.stop();
        waits.forEach((event, sessions) -> results.put("wait." + event, sessions, "sessions"));
        return results;
    }
}
