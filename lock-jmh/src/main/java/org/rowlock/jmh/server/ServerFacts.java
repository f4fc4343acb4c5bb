package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rowlock.tool.Texts;

/**
 * Facts about a PostgreSQL server and the program's role on the server.
 *
 * @param room the limit that leaves the fewest free connections
 */
public record ServerFacts(
        String version,
        String user,
        String database,
        long lockTableRoom,
        ConnectionRoom room,
        Map<String, String> settings) {

    /**
     * A limit on the number of connections.
     *
     * @param limit the name of the limit, such as {@code max_connections}
     * @param free the approximate number of further connections that the limit allows
     * @param cure how to raise the limit; a text to be followed by a number
     */
    public record ConnectionRoom(String limit, int allowed, int free, String cure) {

        public String cureFor(int connections) {
            return cure + " " + (allowed - free + connections);
        }
    }

    private static final String FACTS = Texts.resource(ServerFacts.class, "facts.sql");
    private static final String CONNECTIONS = Texts.resource(ServerFacts.class, "connections.sql");
    private static final String SETTINGS = Texts.resource(ServerFacts.class, "settings.sql");

    /** Reads the facts from the server. */
    public static ServerFacts of(Connection connection) throws SQLException {
        Map<String, String> settings = settings(connection);
        ConnectionRoom room = Jdbc.one(
                connection,
                CONNECTIONS,
                row -> new ConnectionRoom(row.getString(1), row.getInt(2), row.getInt(3), row.getString(4)));
        return Jdbc.one(
                connection,
                FACTS,
                row -> new ServerFacts(
                        row.getString(1), row.getString(2), row.getString(3), row.getLong(4), room, settings));
    }

    private static Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        Jdbc.list(connection, SETTINGS, row -> settings.put(row.getString(1), row.getString(2)));
        return settings;
    }

    public Map<String, String> described() {
        Map<String, String> described = new LinkedHashMap<>();
        described.put("version", version);
        described.put("database", database);
        described.put("user", user);
        return described;
    }
}
