package org.rowlock.jdbc.internal.turn;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Whether a session may have locks in front: where its role may not run one of the functions, the lock would fail where
 * the statement alone does not; and on Citus a statement may run elsewhere than the lock.
 *
 * @param until when to ask again, as rights change
 */
record FrontRights(boolean granted, long until) {
    private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Of a session that could not be asked. */
    static final FrontRights NONE = new FrontRights(false, System.nanoTime());

    /** Of a session that may hold advisory locks of its own beyond its transactions. */
    static final FrontRights NEVER = new FrontRights(false, Long.MIN_VALUE);

    private static final String SQL =
            "select pg_catalog.to_regproc('pg_catalog.create_intermediate_result') is null and "
                    // A server in FIPS mode refuses it.
                    + "pg_catalog.md5('') is not null and "
                    + List.of(
                                    "pg_advisory_xact_lock(bigint)",
                                    "pg_current_xact_id_if_assigned()",
                                    "set_config(text, text, boolean)",
                                    "current_setting(text)",
                                    "extract(text, interval)",
                                    "pg_partition_root(regclass)",
                                    "to_regclass(text)",
                                    "md5(text)",
                                    "substr(text, integer, integer)")
                            .stream()
                            .map(function ->
                                    "pg_catalog.has_function_privilege('pg_catalog." + function + "', 'execute')")
                            .collect(Collectors.joining(" and "));

    /** Asks the server, on a connection that is in autocommit. What it does not answer it does not grant. */
    static FrontRights of(Connection connection) throws SQLException {
        boolean granted = false;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SQL)) {
            granted = row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            if (connection.isClosed()) {
                throw e;
            }
        }
        return new FrontRights(granted, System.nanoTime() + VALID_NANOS);
    }

    boolean isOver() {
        return !equals(NEVER) && System.nanoTime() - until > 0;
    }
}
