package org.rowlock.jmh.profile;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerAddress;

/** Watches a server over one iteration. Ended by the profiler, or before that by whoever closes the server. */
final class ServerWatch {
    private static final String APPLICATION_NAME = "rowlock-jmh-profiler";

    private final ServerAddress address;
    private final ServerCounters before;
    private final WaitSampler sampler;
    private @Nullable Seen seen;
    private @Nullable SQLException failure;

    private ServerWatch(ServerAddress address, ServerCounters before, WaitSampler sampler) {
        this.address = address;
        this.before = before;
        this.sampler = sampler;
    }

    /**
     * What was seen.
     *
     * @param counted what the server counted meanwhile
     * @param waits by wait event, how many sessions were in it at a time, on average
     */
    record Seen(ServerCounters counted, Map<String, Double> waits) {}

    static ServerWatch start(ServerAddress address, long intervalMillis) throws SQLException {
        Connection connection = address.connect(APPLICATION_NAME);
        try {
            return new ServerWatch(
                    address, ServerCounters.read(connection), WaitSampler.start(connection, intervalMillis));
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Stops watching. Only the first call counts. */
    synchronized void end() {
        if (seen != null || failure != null) {
            return;
        }
        try (Connection connection = address.connect(APPLICATION_NAME)) {
            ServerCounters counted = ServerCounters.read(connection).since(before);
            seen = new Seen(counted, sampler.stop());
        } catch (SQLException e) {
            failure = e;
        } finally {
            sampler.close();
        }
    }

    /**
     * What was seen until the end.
     *
     * @throws SQLException if the server could not be watched so long
     */
    synchronized Seen seen() throws SQLException {
        end();
        if (seen == null) {
            throw failure == null ? new SQLException("nothing was seen") : failure;
        }
        return seen;
    }
}
