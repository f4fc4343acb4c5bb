package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;

/**
 * A transaction that does nothing and ends late, as a report or a forgotten session does. While it is open, no row version
 * that was alive when it began may be removed, nor any that was made since.
 */
public record HorizonHolder(Connection connection, int pid) implements AutoCloseable {
    /** Timeouts of a server that would end it before its time, as far as the server knows them. */
    private static final String STAY = "select set_config(name, '0', false) from pg_settings where name in"
            + " ('idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')";

    /** How it holds the horizon. */
    public enum Kind {
        /** A snapshot of a REPEATABLE READ transaction: {@code backend_xmin}. */
        SNAPSHOT(Connection.TRANSACTION_REPEATABLE_READ, "select 1"),
        /** A transaction id, as of one that has written and not committed: {@code backend_xid}. */
        XID(Connection.TRANSACTION_READ_COMMITTED, "select pg_current_xact_id()");

        private final int isolation;
        private final String sql;

        Kind(int isolation, String sql) {
            this.isolation = isolation;
            this.sql = sql;
        }
    }

    /** Begins. */
    static HorizonHolder begin(BenchmarkServer server, Kind kind) throws SQLException {
        Connection connection = server.closeWith(server.connect());
        Sql.execute(connection, STAY);
        connection.setTransactionIsolation(kind.isolation);
        connection.setAutoCommit(false);
        Sql.execute(connection, kind.sql);
        return new HorizonHolder(connection, (int) Sql.number(connection, "select pg_backend_pid()"));
    }

    /** Ends; fails if the server has ended it already. */
    @Override
    public void close() throws SQLException {
        try (connection) {
            connection.commit();
        }
    }
}
