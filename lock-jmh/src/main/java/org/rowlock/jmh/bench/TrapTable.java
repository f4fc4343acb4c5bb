package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * A table where a lock function in a WHERE clause locks more rows than the query returns. Nothing is ever changed in it.
 */
public final class TrapTable {
    static final String TABLE = "trap";
    static final int ROWS = 2_000;

    /** A row lock leaves the transaction in the row, as its xmax. Nobody updates here, so that is always a lock. */
    private static final String LOCKED = "select greatest("
            + "(select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'),"
            + " (select count(*) from " + TABLE + " where xmax = pg_current_xact_id_if_assigned()::xid))";

    /** The two traps. */
    public enum Trap {
        /**
         * The planner evaluates cheap conditions first, whatever the order they are written in, and a lock function
         * counts as cheap.
         */
        FILTER("due + attempts * interval '1 minute' <= now()", ""),
        /** Without an index that gives the order, all rows that meet the condition are sorted first, and LIMIT is last. */
        ORDER("ready", "priority, id");

        final String predicate;
        final String order;

        Trap(String predicate, String order) {
            this.predicate = predicate;
            this.order = order;
        }
    }

    private TrapTable() {}

    /** One row in ten meets each of the conditions. */
    static void create(BenchmarkServer server) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create table " + TABLE + " (id int primary key, ready boolean not null,"
                    + " due timestamptz not null, attempts int not null, priority int not null)");
            statement.execute("insert into " + TABLE
                    + " select i, i % 10 = 0, now() + case when i % 10 = 0 then -1 else 1 end * interval '1 year', i % 3,"
                    + " i * 7919 % " + ROWS + " from generate_series(1, " + ROWS + ") i");
            statement.execute("vacuum analyze " + TABLE);
        }
    }

    /** How many rows the connection's transaction has locked, in either way. */
    static int locked(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LOCKED)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Whether a row of this id meets the conditions. */
    static boolean isWanted(int id) {
        return id % 10 == 0;
    }
}
