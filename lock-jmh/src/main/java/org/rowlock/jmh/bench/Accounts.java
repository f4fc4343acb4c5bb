package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;

/** The table that most workloads lock. Its rows are numbered from 1, and each balance is 0 at first. */
public record Accounts(BenchmarkServer server, int rows) {
    public static final String TABLE = "accounts";
    static final String ID = "aid";
    static final String ADD = "update " + TABLE + " set balance = balance + 1 where aid = ?";
    static final String DOUBLE = "update " + TABLE + " set balance = balance * 2 where aid = ?";
    static final String TAKE = "update " + TABLE + " set balance = balance - 2 where aid = ?";

    static final String READ = "select balance from " + TABLE + " where aid = ?";

    /**
     * A fill factor that leaves space on each page for the next version of a row, as with pgbench's option
     * --fillfactor.
     */
    static final String ROOMY = "fillfactor = 50";

    public static Accounts create(BenchmarkServer server, int rows) throws SQLException {
        return create(server, rows, ROOMY);
    }

    static Accounts create(BenchmarkServer server, int rows, String storage) throws SQLException {
        server.execute(
                "create table " + TABLE + " (aid int primary key, balance bigint not null) with (" + storage + ")",
                "insert into " + TABLE + " select i, 0 from generate_series(1, " + rows + ") i",
                "vacuum analyze " + TABLE);
        return new Accounts(server, rows);
    }

    /**
     * Runs three updates: +1, *2, -2. The sequence doubles the balance, so a balance of 0 stays 0. If one update is
     * lost, the balance is not 0 afterwards.
     */
    static void updateThrice(Connection connection, int aid) throws SQLException {
        raise(connection, aid);
        Jdbc.updateOne(connection, DOUBLE, aid);
        Jdbc.updateOne(connection, TAKE, aid);
    }

    static void raise(Connection connection, int aid) throws SQLException {
        Jdbc.updateOne(connection, ADD, aid);
    }

    static long read(Connection connection, int aid) throws SQLException {
        return Jdbc.number(connection, READ, aid);
    }

    void check() throws SQLException {
        long[] found = server.numbers("select count(*), count(*) filter (where balance <> 0) from " + TABLE);
        if (found[0] != rows || found[1] != 0) {
            throw new InvariantViolation(
                    found[0] + " of " + rows + " accounts are left, and " + found[1] + " of them are not back at 0");
        }
    }

    public void checkSum(long expected) throws SQLException {
        long sum = server.numbers("select sum(balance) from " + TABLE)[0];
        if (sum != expected) {
            throw new InvariantViolation("the balances were raised " + expected + " times, and add up to " + sum);
        }
    }
}
