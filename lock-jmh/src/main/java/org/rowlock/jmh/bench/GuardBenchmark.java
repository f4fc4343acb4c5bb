package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.jmh.server.BenchmarkServer;

/** Lock rows or not, update them in one statement, commit: what the guard and the audit of the table cost the writer. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class GuardBenchmark {
    private static final int ROWS = 1_000;

    /** Whether the writer locks, and then what watches it. */
    @Param({
        "PLAIN",
        "PLAIN_GUARDED",
        "PLAIN_SAMPLED",
        "PLAIN_AUDITED",
        "ADVISORY",
        "ADVISORY_GUARDED",
        "BOTH",
        "BOTH_SAMPLED",
        "BOTH_AUDITED"
    })
    public String variant = "";

    /** How many rows a transaction updates. */
    @Param("1")
    public int rows;

    BenchmarkServer server;
    RowLocks locks;
    boolean locking;
    WatchedTable table;

    @Setup
    public void open() throws SQLException {
        String[] words = variant.toUpperCase(Locale.ROOT).split("_", 2);
        locking = !words[0].equals("PLAIN");
        locks = RowLocks.builder()
                .strategy(locking ? LockStrategy.valueOf(words[0]) : LockStrategy.BOTH)
                .build();
        WatchedTable.Watch watch =
                words.length == 1 ? WatchedTable.Watch.NOTHING : Forms.parse(WatchedTable.Watch.class, words[1]);
        server = BenchmarkServer.open(Map.of());
        Accounts.create(server, ROWS);
        table = WatchedTable.watch(server, watch, Accounts.TABLE);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> table.check(locking, connection -> update(connection, 1)));
    }

    @Benchmark
    public void transaction(Session session) throws SQLException {
        int first = ThreadLocalRandom.current().nextInt(ROWS - rows + 1) + 1;
        if (locking) {
            lock(session.connection, first);
        }
        update(session.connection, first);
        session.connection.commit();
    }

    private void lock(Connection connection, int first) {
        if (rows == 1) {
            locks.in(connection).lock(LockKey.row(Accounts.TABLE, first));
        } else {
            List<Integer> ids = IntStream.range(first, first + rows).boxed().toList();
            locks.in(connection).lockAll(LockKey.rows(Accounts.TABLE, ids));
        }
    }

    private void update(Connection connection, int first) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "update " + Accounts.TABLE + " set balance = balance where aid between ? and ?")) {
            update.setInt(1, first);
            update.setInt(2, first + rows - 1);
            if (update.executeUpdate() != rows) {
                throw new InvariantViolation("not all of " + rows + " accounts were there to be updated");
            }
        }
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Session {
        Connection connection;

        @Setup
        public void open(GuardBenchmark benchmark) throws SQLException {
            connection = benchmark.server.connect();
            // The wait of a commit for the disk would hide what is looked for.
            try (Statement statement = connection.createStatement()) {
                statement.execute("set synchronous_commit = off");
            }
            connection.setAutoCommit(false);
            benchmark.server.closeWith(connection);
        }
    }
}
