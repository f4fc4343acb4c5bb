package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that keeps vacuum from removing dead rows that are younger than it.
 *
 * @param kind what it is
 * @param name which one: the pid, the slot's or the prepared transaction's name
 * @param role whose; null if it has none
 * @param application its application_name; null if it has none
 * @param state such as {@code idle in transaction}, or whether a slot is in use; null if it cannot be seen
 * @param statement its last, normalized; null if it has none or may not be seen
 * @param xids how many xids were given out since
 * @param lasting for how long; null if the server does not tell
 */
record HorizonHolder(
        Kind kind,
        String name,
        @Nullable String role,
        @Nullable String application,
        @Nullable String state,
        @Nullable String statement,
        long xids,
        @Nullable Duration lasting) {
    /** What can hold the horizon, and how it is made to let go. */
    enum Kind {
        SESSION("session", "End its transaction: pg_terminate_backend(%s), and find out why it stays open."),
        STANDBY("standby, by hot_standby_feedback", "End the long query on that standby, or switch its feedback off."),
        SLOT("replication slot", "Let its consumer catch up, or drop it: pg_drop_replication_slot('%s')."),
        PREPARED("prepared transaction", "Commit or roll it back: rollback prepared '%s'.");

        private final String title;
        private final String remedy;

        Kind(String title, String remedy) {
            this.title = title;
            this.remedy = remedy;
        }

        String title() {
            return title;
        }
    }

    private static final int MOST = 5;

    /** Autovacuum does not wait for its own workers. Sessions of other databases hold only shared catalogs back. */
    private static final String SELECT = """
            select case when backend_type = 'walsender' or (datname is null and backend_type is null)
                     then 'STANDBY' else 'SESSION' end as kind,
                   pid::text as name, usename::text as role, nullif(application_name, '') as application, state,
                   case when query <> '<insufficient privilege>' then nullif(query, '') end as query,
                   greatest(age(backend_xid), age(backend_xmin)) as xids,
                   (extract(epoch from clock_timestamp() - xact_start) * 1000)::int8 as millis
            from pg_catalog.pg_stat_activity
            where pid <> pg_backend_pid() and coalesce(backend_xid, backend_xmin) is not null
              and (datname = current_database() or datname is null)
              and coalesce(backend_type, '') <> 'autovacuum worker'
            union all
            select 'PREPARED', gid, owner::text, null, null, null, age(transaction),
                   (extract(epoch from clock_timestamp() - prepared) * 1000)::int8
            from pg_catalog.pg_prepared_xacts where database = current_database()
            union all
            select 'SLOT', slot_name::text, null, null, case when active then 'in use' else 'not in use' end, null,
                   age(xmin), null
            from pg_catalog.pg_replication_slots where xmin is not null
            order by xids desc, millis desc nulls last limit
            """ + MOST;

    /** The oldest first. */
    static List<HorizonHolder> read(Connection connection) throws SQLException {
        List<HorizonHolder> holders = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SELECT)) {
            while (row.next()) {
                String query = row.getString("query");
                long millis = row.getLong("millis");
                Duration lasting = row.wasNull() ? null : Duration.ofMillis(Math.max(0, millis));
                holders.add(new HorizonHolder(
                        Kind.valueOf(row.getString("kind")),
                        row.getString("name"),
                        row.getString("role"),
                        row.getString("application"),
                        row.getString("state"),
                        query == null ? null : SqlText.normalize(query),
                        row.getLong("xids"),
                        lasting));
            }
        }
        return List.copyOf(holders);
    }

    String remedy() {
        return kind.remedy.formatted(name);
    }
}
