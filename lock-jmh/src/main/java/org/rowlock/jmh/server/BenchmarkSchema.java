package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/**
 * The schema that contains everything. A comment on it names the run that created it, so that no schema of another
 * owner is ever dropped.
 */
public final class BenchmarkSchema {
    public static final String NAME = "rowlock_bench";

    /** The statement that removes the schema; a user may run it too. */
    public static final String DROP = "drop schema if exists " + NAME + " cascade";

    /** The name that the sessions of the program that starts the forks use instead of that of a run. */
    public static final String COMPARISON = "comparison";

    /** The application name of a run's sessions in pg_stat_activity. */
    public static String applicationName(String run) {
        return "rowlock-jmh " + run;
    }

    /** Creates unpooled connections of a run, which find its tables first. */
    static PGSimpleDataSource dataSource(ServerAddress address, String run) {
        PGSimpleDataSource dataSource = address.dataSource(applicationName(run));
        dataSource.setCurrentSchema(NAME + ",public");
        return dataSource;
    }

    private static final String MARK =
            "select coalesce(obj_description(oid, 'pg_namespace'), '') from pg_namespace where nspname = '" + NAME
                    + "'";

    private BenchmarkSchema() {}

    /** Creates the schema, empty. If a killed fork of the same run left one, it is dropped first. */
    public static void create(Connection connection, String run) throws SQLException {
        if (isOf(connection, run)) {
            drop(connection, run);
        } else {
            removeLeftovers(connection);
        }
        Jdbc.execute(connection, "create schema " + NAME, "comment on schema " + NAME + " is '" + mark(run) + "'");
    }

    /** Drops the schema of a killed run, and rejects a server that has another schema of this name. */
    public static void removeLeftovers(Connection connection) throws SQLException {
        for (String mark : marks(connection)) {
            if (!mark.startsWith(mark(""))) {
                throw new UserError("There is a schema " + NAME + " in this database already, and the benchmarks do not"
                        + " touch what they have not made. If it is not needed, run there: drop schema " + NAME
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
     * Whether sessions of the run exist. Every role may see their application names. Between two forks of a run, only
     * the comparison itself is connected.
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
     * Ends the remaining sessions of the run, and drops the schema if it belongs to the run. It may be called twice.
     */
    public static void drop(Connection connection, String run) throws SQLException {
        Jdbc.number(
                connection,
                "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                        + " where application_name = ? and pid <> pg_backend_pid() and datname = current_database()",
                applicationName(run));
        if (isOf(connection, run)) {
            // The drop does not wait for a standby, which may be gone, as after Ctrl-C.
            Jdbc.execute(connection, "set synchronous_commit = local", DROP);
        }
    }

    /** Returns the error for a schema that could not be dropped. */
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

    /** Returns the mark of the schema, if it exists; an empty one if it has no mark. */
    private static List<String> marks(Connection connection) throws SQLException {
        return Jdbc.list(connection, MARK, row -> row.getString(1));
    }

    private static String mark(String run) {
        return "Rowlock benchmark, run " + run;
    }
}
