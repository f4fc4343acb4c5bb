package org.rowlock.examples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What the demo must know of a server before it touches it.
 *
 * @param version as the server gives it
 * @param versionNumber 180006 for 18.6
 * @param fsync whether commits reach the disk
 * @param synchronousCommit whether a commit waits for that
 * @param isReadOnly whether it takes no writes
 * @param freeConnections about how many more it allows
 * @param maxConnections how many it allows at all
 * @param user who the demo is there
 * @param database where it is
 * @param mayCreateSchema whether the user may
 * @param hasSchema whether the demo's schema is there already
 */
record DemoServerFacts(
        String version,
        int versionNumber,
        String fsync,
        String synchronousCommit,
        boolean isReadOnly,
        int freeConnections,
        int maxConnections,
        String user,
        String database,
        boolean mayCreateSchema,
        boolean hasSchema) {
    private static final int OLDEST_VERSION = 140_000;

    /** The demo's own: one for counters and balances, one to drop the schema. */
    private static final int FURTHER_CONNECTIONS = 2;

    private static final String QUERY = """
            select current_setting('server_version'),
                   current_setting('server_version_num')::int,
                   current_setting('fsync'),
                   current_setting('synchronous_commit'),
                   pg_is_in_recovery() or current_setting('transaction_read_only')::boolean,
                   current_setting('max_connections')::int
                     - current_setting('superuser_reserved_connections')::int
                     - coalesce(current_setting('reserved_connections', true)::int, 0)
                     - (select coalesce(sum(numbackends), 0)::int from pg_stat_database) + 1,
                   current_setting('max_connections')::int,
                   current_user,
                   current_database(),
                   has_database_privilege(current_database(), 'create'),
                   to_regnamespace('%s') is not null
            """.formatted(DemoSchema.NAME);

    static DemoServerFacts of(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUERY)) {
            if (!row.next()) {
                throw new SQLException("The server did not answer " + QUERY);
            }
            return new DemoServerFacts(
                    row.getString(1),
                    row.getInt(2),
                    row.getString(3),
                    row.getString(4),
                    row.getBoolean(5),
                    row.getInt(6),
                    row.getInt(7),
                    row.getString(8),
                    row.getString(9),
                    row.getBoolean(10),
                    row.getBoolean(11));
        }
    }

    /** Refuses a server that the demo cannot or must not run on, before anything is created. */
    void check(DemoServer server, int connections) {
        if (versionNumber < OLDEST_VERSION) {
            throw new DemoException("The server at " + server.name() + " is PostgreSQL " + version
                    + ", and the demo needs 14 or newer.");
        }
        if (isReadOnly) {
            throw new DemoException(DemoErrors.readOnly(server.name()));
        }
        if (hasSchema) {
            throw new DemoException("There is a schema " + DemoSchema.NAME + " at " + server.name()
                    + " already, and the demo does not touch what it has not made. If it is left from a demo that was"
                    + " killed, run: drop schema " + DemoSchema.NAME + " cascade");
        }
        if (!mayCreateSchema) {
            throw new DemoException("The user " + user + " may not create the schema " + DemoSchema.NAME
                    + " at " + server.name() + ". Run there: grant create on database \"" + database + "\" to \"" + user
                    + "\", or give another user with -D" + DemoSettings.USER + ".");
        }
        if (freeConnections < connections + FURTHER_CONNECTIONS) {
            throw new DemoException(DemoErrors.noRoom(
                    server.name(),
                    "the clients need " + (connections + FURTHER_CONNECTIONS) + ", and of its max_connections = "
                            + maxConnections + " about " + Math.max(0, freeConnections) + " are free."));
        }
    }
}
