package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.server.BenchmarkServer;

/** The server's shared lock table. Row locks are not in it; advisory locks are, one entry each. */
final class LockTable {
    private static final String CAPACITY = "select current_setting('max_locks_per_transaction')::int"
            + " * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)";

    /** Without the weak locks of tables and the own virtual transaction, which each session keeps in slots of its own. */
    private static final String OWN = "select count(*) from pg_locks where pid = pg_backend_pid() and not fastpath";

    private LockTable() {}

    /** How many entries the server promises room for. */
    static int capacity(BenchmarkServer server) throws SQLException {
        try (Connection connection = server.connect()) {
            return number(connection, CAPACITY);
        }
    }

    /** How many entries the connection's session has. */
    static int own(Connection connection) throws SQLException {
        return number(connection, OWN);
    }

    /** Refuses what would fill the table, which stops every session of the server. */
    static void refuseToFill(int capacity, int sessions, int keys) {
        if ((long) sessions * keys > capacity) {
            throw new UserError(sessions + " clients with " + keys + " advisory locks each are "
                    + (long) sessions * keys + ", and this server's lock table has room for " + capacity
                    + " (max_locks_per_transaction x (max_connections + max_prepared_transactions)). Give fewer clients"
                    + " or keys, or raise max_locks_per_transaction.");
        }
    }

    private static int number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }
}
