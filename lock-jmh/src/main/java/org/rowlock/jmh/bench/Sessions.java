package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.jmh.server.BenchmarkServer;

/** Connections in autocommit, one for each thread of a role, made before anything is measured. Thread-safe. */
final class Sessions {
    private final Queue<Connection> free = new ConcurrentLinkedQueue<>();

    private Sessions() {}

    /** Opens them; they are closed with the server. */
    static Sessions open(BenchmarkServer server, int count) throws SQLException {
        Sessions sessions = new Sessions();
        for (int i = 0; i < count; i++) {
            Connection connection = server.connect();
            server.closeWith(connection);
            sessions.free.add(connection);
        }
        return sessions;
    }

    /** The threads of a method of the benchmark's group; methods count from 0 in the order of their names. */
    static int threads(BenchmarkParams params, int method) {
        return params.getThreadGroups()[method] * params.getThreads() / sum(params.getThreadGroups());
    }

    private static int sum(int[] numbers) {
        int sum = 0;
        for (int number : numbers) {
            sum += number;
        }
        return sum;
    }

    /** A connection of the caller's own. */
    Connection take() {
        Connection connection = free.poll();
        if (connection == null) {
            throw new IllegalStateException("More threads have come than were announced");
        }
        return connection;
    }
}
