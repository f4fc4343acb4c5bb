package org.rowlock.examples.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The one thing that the demo creates on a server. There is one of these only if it was created, and close drops it.
 */
final class DemoSchema implements AutoCloseable {
    static final String NAME = "rowlock_demo";

    private final DemoServer server;

    private DemoSchema(DemoServer server) {
        this.server = server;
    }

    static DemoSchema createAt(DemoServer server) {
        try (Connection connection = server.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                // Without "if not exists": what is there already is not ours.
                statement.execute("create schema " + NAME);
            }
            DemoAccounts.create(connection);
            connection.commit();
            return new DemoSchema(server);
        } catch (SQLException e) {
            throw DemoErrors.atStart(e, server.name());
        }
    }

    @Override
    public void close() {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            // A session that holds a lock on the table by now is not the demo's: do not block it for long.
            statement.execute("set lock_timeout = '10s'");
            statement.execute("drop schema if exists " + NAME + " cascade");
        } catch (SQLException e) {
            throw new DemoException(
                    "The schema " + NAME + " at " + server.name() + " could not be dropped: " + DemoErrors.describe(e)
                            + " Please run there: drop schema " + NAME + " cascade",
                    e);
        }
    }
}
