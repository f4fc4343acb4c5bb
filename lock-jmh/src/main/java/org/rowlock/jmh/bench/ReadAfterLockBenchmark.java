package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.rowlock.jmh.profile.Average;
import org.rowlock.jmh.server.BenchmarkServer;

/** Lock a row, read it, commit: what the lock costs a session that has nobody to wait for. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ReadAfterLockBenchmark {
    private static final int ROWS = 1_000;
    private static final long CHANGED = 7;

    @Param({"FOR_UPDATE", "NAIVE", "HAND_WRITTEN", "ROW", "BOTH", "ADVISORY", "ADVISORY+admission", "SELECT"})
    public String variant = "";

    final Average roundTrips = Average.of("roundTrips");
    BenchmarkServer server;
    Accounts accounts;
    LockedRead lockedRead;
    boolean counted;

    @Setup
    public void open() throws SQLException {
        server = BenchmarkServer.open(Map.of());
        accounts = Accounts.create(server, ROWS);
        lockedRead = new LockedRead(variant, server, accounts);
        counted = CountingSocketFactory.canCount(server);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            accounts.check();
            if (lockedRead.form().isLocked()) {
                checkFresh();
            }
        });
    }

    @Benchmark
    public void transaction(Session session) throws SQLException {
        int aid = ThreadLocalRandom.current().nextInt(ROWS) + 1;
        int before = CountingSocketFactory.roundTrips();
        long balance = lockedRead.transaction(session.connection, aid);
        if (counted) {
            roundTrips.add(CountingSocketFactory.roundTrips() - before, 1);
        }
        if (balance != 0) {
            throw new InvariantViolation("account " + aid + " read as " + balance + ", which nobody has written");
        }
    }

    /** A second session must wait for the first, and read what that one has written meanwhile. */
    private void checkFresh() throws SQLException {
        int aid = 1;
        long read = Contest.awaitSecond(
                server,
                connection -> {
                    lockedRead.read(connection, aid);
                    change(connection, aid);
                    return null;
                },
                connection -> lockedRead.read(connection, aid));
        if (read != CHANGED) {
            throw new InvariantViolation("behind the lock the balance was " + read
                    + ", a stale read: the previous holder had committed " + CHANGED);
        }
    }

    private static void change(Connection connection, int aid) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("update " + Accounts.TABLE + " set balance = ? where aid = ?")) {
            update.setLong(1, CHANGED);
            update.setInt(2, aid);
            update.executeUpdate();
        }
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Session {
        Connection connection;

        @Setup
        public void open(ReadAfterLockBenchmark benchmark) throws SQLException {
            connection = CountingSocketFactory.connect(benchmark.server);
            connection.setAutoCommit(false);
            benchmark.server.closeWith(connection);
            // The first lock of a table asks the catalog for its id columns.
            benchmark.lockedRead.transaction(connection, 1);
        }
    }
}
