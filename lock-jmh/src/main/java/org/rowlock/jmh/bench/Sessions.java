package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.jmh.server.BenchmarkServer;

/** Connections in autocommit, made before anything is measured. */
final class Sessions {
    private Sessions() {}

    /** Opens some, for a client each; they are closed with the server. */
    static List<Connection> open(BenchmarkServer server, int count) throws SQLException {
        List<Connection> connections = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Connection connection = server.connect();
            server.closeWith(connection);
            connections.add(connection);
        }
        return connections;
    }
}
