package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the sessions do at one moment.
 *
 * @param busy client sessions with a running statement, by wait event such as {@code Lock:tuple}; {@link #RUNNING} if none
 * @param idleInTransaction client sessions between two statements of a transaction
 * @param hidden sessions of other roles, of which we may not see what they do
 */
record Activity(Map<String, Integer> busy, int idleInTransaction, int hidden) {
    /** In place of a wait event: on a CPU, or waiting for one. */
    static final String RUNNING = "running";

    /** A session that is not visible shows its database, which background processes have none of, and no type. */
    private static final String SELECT = """
            select state, wait_event_type || ':' || wait_event as event, count(*) as sessions,
                   query = '<insufficient privilege>' as is_hidden
            from pg_catalog.pg_stat_activity
            where pid <> pg_backend_pid() and datname is not null and coalesce(backend_type, 'client backend') = 'client backend'
            group by 1, 2, 4
            """;

    static Activity read(Connection connection) throws SQLException {
        Map<String, Integer> busy = new TreeMap<>();
        int idle = 0;
        int hidden = 0;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SELECT)) {
            while (row.next()) {
                int sessions = row.getInt("sessions");
                String state = String.valueOf(row.getString("state"));
                String event = row.getString("event");
                if (row.getBoolean("is_hidden")) {
                    hidden += sessions;
                } else if (state.startsWith("idle in transaction")) {
                    idle += sessions;
                } else if (state.equals("active") || state.equals("fastpath function call")) {
                    busy.merge(event == null ? RUNNING : event, sessions, Integer::sum);
                }
            }
        }
        return new Activity(busy, idle, hidden);
    }
}
