package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Facts about a PostgreSQL server and the program's role on the server.
 *
 * @param version the result of version()
 * @param isInRecovery whether the server is in recovery, such as a standby
 * @param isReadOnly whether transactions of the role are read-only
 * @param room the limit that leaves the fewest free connections
 * @param settings the settings that affect locks, by name, in the order of the report
 */
public record ServerFacts(
        String version,
        boolean isInRecovery,
        boolean isReadOnly,
        String user,
        String database,
        boolean mayCreateSchema,
        long lockTableRoom,
        ConnectionRoom room,
        Map<String, String> settings) {

    /**
     * A limit on the number of connections.
     *
     * @param limit the name of the limit, such as {@code max_connections}
     * @param allowed the number of connections that the limit allows in total
     * @param free the approximate number of further connections that the limit allows
     * @param cure how to raise the limit; a text to be followed by a number
     */
    public record ConnectionRoom(String limit, int allowed, int free, String cure) {

        public String cureFor(int connections) {
            return cure + " " + (allowed - free + connections);
        }
    }

    /**
     * The capacity of the lock table, as PostgreSQL documents it. Before PostgreSQL 19 the table can grow to about
     * twice this capacity.
     */
    static final String LOCK_TABLE_ROOM = """
            case when current_setting('server_version_num')::int < 190000 then 2 else 1 end
              * current_setting('max_locks_per_transaction')::bigint
              * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)""";

    private static final String FACTS = """
            select version(),
                   pg_is_in_recovery(),
                   current_setting('transaction_read_only')::boolean,
                   session_user,
                   current_database(),
                   has_database_privilege(current_database(), 'create'),
                   %s
            """.formatted(LOCK_TABLE_ROOM);

    /**
     * Finds the limit that leaves the fewest free connections. Limits of roles and databases do not apply to a
     * superuser. The connection that runs the query counts as free.
     */
    private static final String ROOM = """
            with us as (
              select r.oid, r.rolsuper, r.rolconnlimit, d.datconnlimit, quote_ident(r.rolname) as role,
                     quote_ident(d.datname) as database,
                     current_setting('max_connections')::int as most,
                     (select numbackends from pg_stat_database where datid = d.oid) - 1 as here,
                     (select count(*)::int from pg_stat_activity where usesysid = r.oid and leader_pid is null) - 1
                       as ours
                from pg_roles r, pg_database d
               where r.rolname = session_user and d.datname = current_database())
            select 'max_connections', most,
                   most - case when rolsuper then 0
                               else current_setting('superuser_reserved_connections')::int
                                    + case when exists (select from pg_roles reserved
                                                         where reserved.rolname = 'pg_use_reserved_connections'
                                                           and pg_has_role(us.oid, reserved.oid, 'usage'))
                                           then 0
                                           else coalesce(current_setting('reserved_connections', true)::int, 0)
                                      end
                          end
                     - (select coalesce(sum(numbackends), 0)::int from pg_stat_database) + 1,
                   'Set max_connections there to'
              from us
            union all
            select 'the connection limit of the role ' || role, rolconnlimit, rolconnlimit - ours,
                   'Run there: alter role ' || role || ' connection limit'
              from us where not rolsuper and rolconnlimit >= 0
            union all
            select 'the connection limit of the database ' || database, datconnlimit, datconnlimit - here,
                   'Run there: alter database ' || database || ' connection limit'
              from us where not rolsuper and datconnlimit >= 0
             order by 3
             limit 1
            """;

    private static final List<String> SETTINGS = List.of(
            "max_connections",
            "max_locks_per_transaction",
            "shared_buffers",
            "fsync",
            "synchronous_commit",
            "synchronous_standby_names",
            "full_page_writes",
            "wal_level",
            "max_wal_size",
            "deadlock_timeout",
            "lock_timeout",
            "statement_timeout",
            "idle_in_transaction_session_timeout",
            "default_transaction_isolation",
            "autovacuum",
            "autovacuum_naptime",
            "track_activities");

    /**
     * Reads the facts from the server.
     *
     * @throws SQLException if a query fails, for example because the server is not PostgreSQL
     */
    public static ServerFacts of(Connection connection) throws SQLException {
        Map<String, String> settings = settings(connection);
        ConnectionRoom room = Jdbc.one(
                connection,
                ROOM,
                row -> new ConnectionRoom(row.getString(1), row.getInt(2), row.getInt(3), row.getString(4)));
        return Jdbc.one(
                connection,
                FACTS,
                row -> new ServerFacts(
                        row.getString(1),
                        row.getBoolean(2),
                        row.getBoolean(3),
                        row.getString(4),
                        row.getString(5),
                        row.getBoolean(6),
                        row.getLong(7),
                        room,
                        settings));
    }

    private static Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        String[] names = SETTINGS.toArray(String[]::new);
        Jdbc.list(
                connection,
                "select name, coalesce(nullif(current_setting(name), ''), '''''') from pg_settings"
                        + " where name = any (?) order by array_position(?::text[], name)",
                row -> settings.put(row.getString(1), row.getString(2)),
                names,
                names);
        return settings;
    }

    static String quoted(String name) {
        return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    /** Returns a description of the server: label and value. */
    public Map<String, String> described() {
        Map<String, String> described = new LinkedHashMap<>();
        described.put("version", version);
        described.put("database", database);
        described.put("user", user);
        return described;
    }

    /** Returns the value of a setting; empty if the server has no such setting. */
    public String setting(String name) {
        return settings.getOrDefault(name, "");
    }
}
