package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.rowlock.jmh.server.BenchmarkServer;

/** An account that transactions raise by 1, and how many have committed it. Thread-safe. */
final class Counter {
    private static final String READ = "select balance from " + Accounts.TABLE + " where aid = ?";
    private static final String RAISE = "update " + Accounts.TABLE + " set balance = balance + 1 where aid = ?";

    private final BenchmarkServer server;
    private final int aid;
    private final LongAdder commits = new LongAdder();

    Counter(BenchmarkServer server, int aid) {
        this.server = server;
        this.aid = aid;
    }

    /** To be called in a transaction. */
    void raise(Connection connection) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement(RAISE)) {
            raise.setInt(1, aid);
            raise.executeUpdate();
        }
    }

    /** To be called when a transaction that has raised it is committed. */
    void committed() {
        commits.increment();
    }

    /** What the connection's transaction sees. */
    long read(Connection connection) throws SQLException {
        return read(connection, aid);
    }

    /** What the connection's transaction sees of any account. */
    static long read(Connection connection, int aid) throws SQLException {
        try (PreparedStatement read = connection.prepareStatement(READ)) {
            read.setInt(1, aid);
            try (ResultSet row = read.executeQuery()) {
                if (!row.next()) {
                    throw new InvariantViolation("account " + aid + " is gone");
                }
                return row.getLong(1);
            }
        }
    }

    /** Fails unless the account has what was committed. */
    void check() throws SQLException {
        try (Connection connection = server.connect()) {
            long balance = read(connection);
            if (balance != commits.sum()) {
                throw new InvariantViolation(
                        commits.sum() + " commits have raised account " + aid + " by 1, and it is at " + balance);
            }
        }
    }
}
