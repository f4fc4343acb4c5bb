package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/**
 * The schema that contains all tables of a run. A comment on the schema names the run, so that the benchmarks never
 * drop a schema of another program.
 */
public final class BenchmarkSchema {
    public static final String NAME = "rowlock_bench";

    /** The statement that removes the schema, also printed for the user. */
    public static final String DROP = "drop schema if exists " + NAME + " cascade";

    /** Stands for the run in the application_name of the parent JVM, which starts the forks. */
    public static final String COMPARISON = "comparison";

    public static String applicationName(String run) {
        return "rowlock-jmh " + run;
    }

    /** Returns a data source for the run, with the schema first in the search_path. */
    static PGSimpleDataSource dataSource(ServerAddress address, String run) {
        PGSimpleDataSource dataSource = address.dataSource(applicationName(run));
        dataSource.setCurrentSchema(NAME + ",public");
        return dataSource;
    }

    private static final String MARK =
            "select coalesce(obj_description(oid, 'pg_namespace'), '') from pg_namespace where nspname = '" + NAME
                    + "'";

    private BenchmarkSchema() {}

    /** Creates an empty schema. First drops the schema of a killed fork or of an earlier killed run. */
    public static void create(Connection connection, String run) throws SQLException {
        if (isOf(connection, run)) {
            drop(connection, run);
        } else {
            removeLeftovers(connection);
        }
        Jdbc.execute(connection, "create schema " + NAME, "comment on schema " + NAME + " is '" + mark(run) + "'");
    }

    /** Drops the schema of a killed run. A schema of another program, or of a run that still uses it, is an error. */
    public static void removeLeftovers(Connection connection) throws SQLException {
        for (String mark : marks(connection)) {
            if (!mark.startsWith(mark(""))) {
                throw new UserError("There is a schema " + NAME + " in this database already, and no benchmark has"
                        + " created it. If it is not needed, run there: drop schema " + NAME
                        + " cascade");
            }
            if (isInUse(connection, mark)) {
                throw new UserError("There is a schema " + NAME + " in this database already, because another run"
                        + " uses it. Wait until that run has ended.");
            }
            drop(connection, mark.replace(mark(""), ""));
        }
    }

    /**
     * Whether sessions of the run exist. Every role can see application names. Between two forks of a run, only the
     * parent JVM is connected.
     */
    private static boolean isInUse(Connection connection, String mark) throws SQLException {
        return Jdbc.number(
                        connection,
                        "select count(*) from pg_stat_activity where datname = current_database()"
                                + " and pid <> pg_backend_pid() and application_name in (?, ?)",
                        applicationName(mark.replace(mark(""), "")),
                        applicationName(COMPARISON))
                > 0;
    }

    /**
     * Ends the remaining sessions of the run, and drops the schema if it belongs to the run. A second call has no
     * effect.
     */
    public static void drop(Connection connection, String run) throws SQLException {
        Jdbc.number(
                connection,
                "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                        + " where application_name = ? and pid <> pg_backend_pid() and datname = current_database()",
                applicationName(run));
        if (isOf(connection, run)) {
            // The drop must not wait for a standby, because the standby may have ended already after Ctrl-C.
            Jdbc.execute(connection, "set synchronous_commit = local", DROP);
        }
    }

    public static UserError left(ServerAddress address, SQLException cause) {
        return new UserError(
                "The schema " + NAME + " may be left at " + address
                        + ", because it could not be dropped on the server: " + ServerFailures.describe(cause)
                        + " Run there: " + DROP,
                cause);
    }

    private static boolean isOf(Connection connection, String run) throws SQLException {
        return marks(connection).contains(mark(run));
    }

    /** Returns the schema's comment, which is empty if there is none. Returns an empty list if there is no schema. */
    private static List<String> marks(Connection connection) throws SQLException {
        return Jdbc.list(connection, MARK, row -> row.getString(1));
    }

    private static String mark(String run) {
        return "Rowlock benchmark, run " + run;
    }
}
