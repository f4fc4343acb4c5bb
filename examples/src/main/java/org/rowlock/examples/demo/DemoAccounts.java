package org.rowlock.examples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The table of the demo. Accounts are numbered from 1. */
final class DemoAccounts {
    static final String TABLE = DemoSchema.NAME + ".account";
    static final int COUNT = 100;
    static final long OPENING_BALANCE = 1_000_000;

    private DemoAccounts() {}

    static void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "create table " + TABLE + " (id int primary key, balance bigint not null check (balance >= 0))");
            statement.execute("insert into " + TABLE + " select id, " + OPENING_BALANCE + " from generate_series(1, "
                    + COUNT + ") as id");
        }
    }

    /** Clears away the dead rows of earlier transfers, so that no variant pays for those of the one before it. */
    static void vacuum(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("vacuum (analyze) " + TABLE);
        }
    }

    /** The balances in the order of the numbers; that of account 1 comes first. */
    static long[] balances(Connection connection) throws SQLException {
        long[] balances = new long[COUNT];
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select id, balance from " + TABLE)) {
            while (rows.next()) {
                balances[rows.getInt(1) - 1] = rows.getLong(2);
            }
        }
        return balances;
    }
}
