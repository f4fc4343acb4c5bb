package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which server it is, and what we may see there.
 *
 * @param version such as {@code 18.6}
 * @param database the connection's
 * @param role ours
 * @param readsAllStats whether other roles' sessions and statements are visible
 * @param listsDirectories whether the size of directories can be asked
 * @param inRecovery whether it is a standby
 * @param pid of the process that serves us
 * @param settings the ones asked for, by name, in their base unit; those that the role may not see are missing
 */
record Server(
        String version,
        String database,
        String role,
        boolean readsAllStats,
        boolean listsDirectories,
        boolean inRecovery,
        int pid,
        Map<String, String> settings) {
    private static final int OLDEST = 14;

    private static final String FACTS = """
            select current_setting('server_version_num')::int4 / 10000 as major,
                   split_part(current_setting('server_version'), ' ', 1) as version,
                   current_database() as database, current_user as role,
                   pg_has_role('pg_read_all_stats', 'usage') as reads_all_stats,
                   has_function_privilege('pg_catalog.pg_ls_dir(text)', 'execute')
                     and has_function_privilege('pg_catalog.pg_stat_file(text, boolean)', 'execute') as lists_directories,
                   pg_is_in_recovery() as in_recovery, pg_backend_pid() as pid
            """;

    private static final String SETTINGS = """
            select name, setting from pg_catalog.pg_settings where name in ('max_connections',
              'max_prepared_transactions', 'max_locks_per_transaction', 'autovacuum_freeze_max_age',
              'autovacuum_multixact_freeze_max_age', 'hot_standby_feedback', 'track_activities', 'track_counts',
              'shared_preload_libraries')
            """;

    /** Refuses what is no PostgreSQL, or too old, before anything else is asked. */
    static Server read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("select version()")) {
                row.next();
                refuseOthers(row.getString(1));
            }
            Map<String, String> settings = new HashMap<>();
            try (ResultSet row = statement.executeQuery(SETTINGS)) {
                while (row.next()) {
                    settings.put(row.getString("name"), row.getString("setting"));
                }
            }
            try (ResultSet row = statement.executeQuery(FACTS)) {
                row.next();
                if (row.getInt("major") < OLDEST) {
                    throw new UserError("The doctor needs PostgreSQL " + OLDEST + " or newer, and this server is "
                            + row.getString("version") + ": its pg_locks does not tell how long a lock was waited for."
                            + " Ask a newer server that carries the same load.");
                }
                return new Server(
                        row.getString("version"),
                        row.getString("database"),
                        row.getString("role"),
                        row.getBoolean("reads_all_stats"),
                        row.getBoolean("lists_directories"),
                        row.getBoolean("in_recovery"),
                        row.getInt("pid"),
                        Map.copyOf(settings));
            }
        }
    }

    /** Servers that speak PostgreSQL's protocol and have lock views of their own, or none. */
    static void refuseOthers(String version) {
        Map<String, String> others = Map.of(
                "CockroachDB",
                "CockroachDB",
                "-YB-",
                "YugabyteDB",
                "Redshift",
                "Amazon Redshift",
                "Materialize",
                "Materialize");
        others.forEach((mark, name) -> {
            if (version.contains(mark)) {
                throw new UserError(
                        "This server is " + name + " (" + version + "), which locks rows in its own way: the"
                                + " doctor reads PostgreSQL's pg_locks, and what it says there would mean nothing. Use the tools"
                                + " of " + name + ".");
            }
        });
        if (!version.startsWith("PostgreSQL") && !version.startsWith("EnterpriseDB")) {
            throw new UserError("This server is no PostgreSQL (" + version + "), and the doctor reads PostgreSQL's own"
                    + " views of its locks.");
        }
    }

    /** A number among the settings. */
    long number(String setting) {
        return Long.parseLong(settings.getOrDefault(setting, "0"));
    }

    boolean isOn(String setting) {
        return "on".equals(settings.get(setting));
    }

    /** Whether the library is loaded; empty if the role may not see it. */
    Optional<Boolean> preloads(String library) {
        return Optional.ofNullable(settings.get("shared_preload_libraries"))
                .map(libraries -> libraries.contains(library));
    }

    /** How many locks the shared lock table has room for, as PostgreSQL documents it. */
    long lockTableRoom() {
        return number("max_locks_per_transaction") * (number("max_connections") + number("max_prepared_transactions"));
    }
}
