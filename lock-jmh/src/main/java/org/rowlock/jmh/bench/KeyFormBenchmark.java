package org.rowlock.jmh.bench;

import java.sql.Connection;
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
import org.rowlock.jmh.server.BenchmarkServer;

/** Lock by an id of some form, commit: what the form of an id costs. Making the key is part of it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class KeyFormBenchmark {
    private static final int ROWS = 1_000;

    @Param({"FOR_UPDATE", "ROW", "BOTH", "ADVISORY", "PAIR", "MD5", "HASHTEXT"})
    public String variant = "";

    /** {@code int}, {@code bigint}, {@code uuid}, {@code text} or {@code composite}. */
    @Param("int")
    public String id = "";

    BenchmarkServer server;
    Object[] ids;
    KeyLock lock;

    @Setup
    public void open() throws SQLException {
        KeyForm form = Forms.parse(KeyForm.class, id);
        lock = new KeyLock(variant, form);
        ids = new Object[ROWS];
        for (int i = 0; i < ROWS; i++) {
            ids[i] = form.id(i + 1);
        }
        server = BenchmarkServer.open(Map.of());
        try (Connection connection = server.connect()) {
            form.create(connection, ids);
        }
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            Contest.awaitSecond(server, connection -> lock(connection, 0), connection -> lock(connection, 0));
            Contest.runBeside(server, connection -> lock(connection, 0), connection -> lock(connection, 1));
        });
    }

    @Benchmark
    public void transaction(Session session) throws SQLException {
        lock(session.connection, ThreadLocalRandom.current().nextInt(ROWS));
        session.connection.commit();
    }

    private long lock(Connection connection, int row) throws SQLException {
        lock.lock(connection, ids[row]);
        return row;
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Session {
        Connection connection;

        @Setup
        public void open(KeyFormBenchmark benchmark) throws SQLException {
            connection = benchmark.server.connect();
            connection.setAutoCommit(false);
            benchmark.server.closeWith(connection);
        }
    }
}
