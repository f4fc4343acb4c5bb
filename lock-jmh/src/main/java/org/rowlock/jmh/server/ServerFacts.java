package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is known of a server.
 *
 * @param description label and value, in the order in which they are shown
 * @param settings those that matter to locks, by name
 */
public record ServerFacts(Map<String, String> description, Map<String, String> settings) {
    private static final String SETTINGS = """
            select name, current_setting(name)
              from pg_settings
             where name in ('max_connections', 'max_locks_per_transaction', 'shared_buffers', 'fsync',
                            'synchronous_commit', 'full_page_writes', 'wal_level', 'max_wal_size', 'deadlock_timeout',
                            'autovacuum', 'autovacuum_naptime', 'default_transaction_isolation')
             order by name
            """;

    public static ServerFacts of(Connection connection) throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        Map<String, String> description = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("select version()")) {
                row.next();
                description.put("version", row.getString(1));
            }
            try (ResultSet rows = statement.executeQuery(SETTINGS)) {
                while (rows.next()) {
                    settings.put(rows.getString(1), rows.getString(2));
                }
            }
        }
        return new ServerFacts(description, settings);
    }
}
