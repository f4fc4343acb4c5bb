package org.rowlock.guard;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** A row of {@code rowlock.stray_writers}. */
record StrayWriter(
        String table,
        String operation,
        String role,
        String application,
        String query,
        String context,
        Instant firstSeen,
        Instant lastSeen) {

    /** Returns all stray writers, the latest first. */
    static List<StrayWriter> all(Connection connection) throws SQLException {
        List<StrayWriter> writers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select relation::text, operation, role, application, query,"
                        + " context, first_seen, last_seen from rowlock.stray_writers"
                        + " order by last_seen desc, first_seen desc, query")) {
            while (row.next()) {
                writers.add(new StrayWriter(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        row.getObject(7, OffsetDateTime.class).toInstant(),
                        row.getObject(8, OffsetDateTime.class).toInstant()));
            }
        }
        return writers;
    }
}
