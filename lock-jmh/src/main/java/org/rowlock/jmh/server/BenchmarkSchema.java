package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.doctor.UserError;

/**
 * The schema that everything lives in. A comment on it names the run that made it, so that nothing of anybody else's is
 * ever dropped.
 */
public final class BenchmarkSchema {
    public static final String NAME = "rowlock_bench";

    /** In place of a run, for the sessions of the program that starts the forks. */
    public static final String COMPARISON = "comparison";

    /** What the sessions of a run call themselves in pg_stat_activity. */
    public static String applicationName(String run) {
        return "rowlock-jmh " + run;
    }

    private static final String MARK =
            "select coalesce(obj_description(oid, 'pg_namespace'), '') from pg_namespace where nspname = '" + NAME
                    + "'";

    private BenchmarkSchema() {}

    /** Makes it new and empty; one that a killed fork of the same run left is dropped first. */
    public static void create(Connection connection, String run) throws SQLException {
        if (isOf(connection, run)) {
            drop(connection, run);
        } else {
            removeLeftovers(connection);
        }
        Sql.execute(connection, "create schema " + NAME, "comment on schema " + NAME + " is '" + mark(run) + "'");
    }

    /** Drops what a killed run has left, and refuses a server that has another schema of this name. */
    public static void removeLeftovers(Connection connection) throws SQLException {
        for (String mark : marks(connection)) {
            if (!mark.startsWith(mark(""))) {
                throw new UserError("There is a schema " + NAME + " in this database already, and the benchmarks do not"
                        + " touch what they have not made. If nobody needs it, run there: drop schema " + NAME
                        + " cascade");
            }
            if (isInUse(connection, mark)) {
                throw new UserError("There is a schema " + NAME + " in this database already. Another run is working in"
                        + " it: wait for its end.");
            }
            drop(connection, mark.replace(mark(""), ""));
        }
    }

    /**
     * Every role may see what sessions call themselves. The comparison itself is there between two forks of its run.
     */
    private static boolean isInUse(Connection connection, String mark) throws SQLException {
        return Sql.number(
                        connection,
                        "select count(*) from pg_stat_activity where datname = current_database()"
                                + " and pid <> pg_backend_pid() and application_name in (?, ?)",
                        applicationName(mark.replace(mark(""), "")),
                        applicationName(COMPARISON))
                > 0;
    }

    /** Ends what sessions of the run are left, and drops the schema if it is the run's. Safe to call twice. */
    public static void drop(Connection connection, String run) throws SQLException {
        Sql.number(
                connection,
                "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                        + " where application_name = ? and pid <> pg_backend_pid() and datname = current_database()",
                applicationName(run));
        if (isOf(connection, run)) {
            // A standby that is gone, as at Ctrl-C, is not waited for.
            Sql.execute(connection, "set synchronous_commit = local", "drop schema " + NAME + " cascade");
        }
    }

    private static boolean isOf(Connection connection, String run) throws SQLException {
        return marks(connection).contains(mark(run));
    }

    /** That of the schema, if there is one; empty where nobody has marked it. */
    private static List<String> marks(Connection connection) throws SQLException {
        return Sql.list(connection, MARK, row -> row.getString(1));
    }

    private static String mark(String run) {
        return "Rowlock benchmark, run " + run;
    }
}
