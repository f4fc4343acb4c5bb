package org.rowlock.spring.test;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockInspector.Line;

/** Asks the server for the advisory locks and open transactions of this program's sessions. */
final class ServerSessions {
    /** This program's: those that look like the one that asks. */
    private static final String SESSIONS = """
            select a.pid, case when a.pid = pg_backend_pid() then ', whose connection is back in the pool'
                     else concat(', ', a.state, ', last statement: ', a.query) end as doing,
                   case when a.pid <> pg_backend_pid() then a.xact_start::text end as begun
            from pg_catalog.pg_stat_activity as a
            where a.datname = current_database() and a.usename = session_user and a.backend_type = 'client backend'
              and a.application_name = current_setting('application_name')
              and a.client_addr is not distinct from inet_client_addr()
            """;

    private ServerSessions() {}

    /**
     * What is there now, each with an identity by which the same is known later, and a text for people.
     *
     * @throws SQLException if there is no connection to be had, or the server does not answer
     */
    static Map<List<Object>, String> read(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            if (!connection.isWrapperFor(PGConnection.class)) {
                return Map.of();
            }
            try {
                return read(connection);
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
        }
    }

    private static Map<List<Object>, String> read(Connection connection) throws SQLException {
        Map<List<Object>, String> found = new LinkedHashMap<>();
        Map<Integer, String> sessions = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SESSIONS)) {
            while (row.next()) {
                int pid = row.getInt("pid");
                String begun = row.getString("begun");
                sessions.put(pid, " of server process " + pid + row.getString("doing"));
                if (begun != null) {
                    found.put(List.of(pid, begun), "an open transaction, begun " + begun + "," + sessions.get(pid));
                }
            }
        }
        for (Line line : LockInspector.all(connection)) {
            if (line.isGranted() && sessions.containsKey(line.pid())) {
                found.put(
                        List.of(line.pid(), line.first(), line.second(), line.isPair(), line.isShared()),
                        "an advisory lock on " + key(line) + (line.isShared() ? " (shared)" : " (exclusive)")
                                + sessions.get(line.pid()));
            }
        }
        return found;
    }

    private static String key(Line line) {
        return line.table()
                .map(table -> table + ", id " + line.id().orElse("?"))
                .orElseGet(() -> line.isPair()
                        ? "the pair " + line.first() + ", " + line.second()
                        : "the number " + (line.first() << 32 | line.second()));
    }
}
