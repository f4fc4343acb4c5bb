package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.UserError;

/**
 * The schema that everything lives in. A comment on it names the run that made it, so that nothing of anybody else's is
 * ever dropped.
 */
public final class BenchmarkSchema {
    /** Its name on every server. */
    public static final String NAME = "rowlock_bench";

    /** In place of a run, for the sessions of the program that starts the forks. */
    public static final String COMPARISON = "comparison";

    /** What the sessions of a run call themselves in pg_stat_activity. */
    public static String applicationName(String run) {
        return "rowlock-jmh " + run;
    }

    private static final String OWNER =
            "select obj_description(oid, 'pg_namespace') from pg_namespace where nspname = '" + NAME + "'";

    private BenchmarkSchema() {}

    /** Makes it new and empty; one that a killed fork of the same run left is dropped first. */
    public static void create(Connection connection, String run) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (isOf(connection, run)) {
                drop(connection, run);
            } else {
                refuseAnothers(connection);
            }
            statement.execute("create schema " + NAME);
            statement.execute("comment on schema " + NAME + " is '" + mark(run) + "'");
        }
    }

    /** Refuses a server that has a schema of this name already. */
    public static void refuseAnothers(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(OWNER)) {
            if (row.next()) {
                throw new UserError("There is a schema " + NAME + " in this database already, and the benchmarks do not"
                        + " touch what they have not made. "
                        + (isInUse(connection, row.getString(1))
                                ? "Another run is working in it: wait for its end."
                                : "No run is working in it now. If it is left from one that was killed, run there:"
                                        + " drop schema " + NAME + " cascade"));
            }
        }
    }

    /** Every role may see what sessions call themselves. The comparison itself is there between two forks of its run. */
    private static boolean isInUse(Connection connection, @Nullable String mark) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select exists (select from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid() and application_name in (?, ?))")) {
            statement.setString(1, applicationName(mark == null ? "" : mark.replace(mark(""), "")));
            statement.setString(2, applicationName(COMPARISON));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /** Ends what sessions of the run are left, and drops the schema if it is the run's. Safe to call twice. */
    public static void drop(Connection connection, String run) throws SQLException {
        try (PreparedStatement end =
                connection.prepareStatement("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where application_name = ? and pid <> pg_backend_pid() and datname = current_database()")) {
            end.setString(1, applicationName(run));
            end.execute();
        }
        if (isOf(connection, run)) {
            try (Statement statement = connection.createStatement()) {
                // A standby that is gone, as at Ctrl-C, is not waited for.
                statement.execute("set synchronous_commit = local");
                statement.execute("drop schema " + NAME + " cascade");
            }
        }
    }

    private static boolean isOf(Connection connection, String run) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(OWNER)) {
            @Nullable String owner = row.next() ? row.getString(1) : null;
            return mark(run).equals(owner);
        }
    }

    private static String mark(String run) {
        return "Rowlock benchmark, run " + run;
    }
}
