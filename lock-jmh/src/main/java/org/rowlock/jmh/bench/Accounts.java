package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.LockKey;
import org.rowlock.jmh.server.BenchmarkServer;

/** The table most scenarios lock: rows numbered from 1, each with a balance of 0 whenever no transaction is open. */
final class Accounts {
    static final String TABLE = "accounts";

    private static final String ADD = "update " + TABLE + " set balance = balance + 1 where aid = ?";
    private static final String DOUBLE = "update " + TABLE + " set balance = balance * 2 where aid = ?";
    private static final String TAKE = "update " + TABLE + " set balance = balance - 2 where aid = ?";

    private final BenchmarkServer server;
    private final int rows;
    private final LockKey[] keys;

    private Accounts(BenchmarkServer server, int rows) {
        this.server = server;
        this.rows = rows;
        this.keys = new LockKey[rows + 1];
        for (int aid = 1; aid <= rows; aid++) {
            keys[aid] = LockKey.row(TABLE, aid);
        }
    }

    static Accounts create(BenchmarkServer server, int rows) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create table " + TABLE
                    // Room on each page for the next version of a row, as pgbench's tables of this kind have.
                    + " (aid int primary key, balance bigint not null) with (fillfactor = 50)");
            statement.execute("insert into " + TABLE + " select i, 0 from generate_series(1, " + rows + ") i");
            statement.execute("vacuum analyze " + TABLE);
        }
        return new Accounts(server, rows);
    }

    LockKey key(int aid) {
        return keys[aid];
    }

    /** The first of the three updates, in a form that a lock can travel with. */
    static Transactions.First add(int aid) {
        return new Transactions.First(ADD + " returning balance", aid);
    }

    /** The published work: +1, *2, -2 takes a balance from 0 back to 0, and any other start to another number. */
    static void updateThrice(Connection connection, int aid) throws SQLException {
        update(connection, ADD, aid);
        updateTwice(connection, aid);
    }

    /** What follows {@link #add}. */
    static void updateTwice(Connection connection, int aid) throws SQLException {
        update(connection, DOUBLE, aid);
        update(connection, TAKE, aid);
    }

    private static void update(Connection connection, String sql, int aid) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setInt(1, aid);
            int updated = update.executeUpdate();
            if (updated != 1) {
                throw new InvariantViolation("account " + aid + " was to be updated, and " + updated + " rows were");
            }
        }
    }

    /** Fails unless every row is there and back at 0. */
    void check() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select count(*), count(*) filter (where balance <> 0) from " + TABLE)) {
            row.next();
            if (row.getInt(1) != rows || row.getInt(2) != 0) {
                throw new InvariantViolation(row.getInt(1) + " of " + rows + " accounts are left, and " + row.getInt(2)
                        + " of them are not back at 0");
            }
        }
    }
}
