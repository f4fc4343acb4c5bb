package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.jmh.server.BenchmarkServer;

/** A table with a guard or an audit. The schema of both goes with the benchmark, unless it was there before. */
public final class WatchedTable {
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final int BUDGET = 1_000;

    /** By what a table is watched. */
    public enum Watch {
        NOTHING,
        GUARDED,
        AUDITED,
        /** Audited, one statement of a hundred. */
        SAMPLED
    }

    private final BenchmarkServer server;
    private final Watch watch;
    private final String table;

    private WatchedTable(BenchmarkServer server, Watch watch, String table) {
        this.server = server;
        this.watch = watch;
        this.table = table;
    }

    static WatchedTable watch(BenchmarkServer server, Watch watch, String table) throws SQLException {
        if (watch != Watch.NOTHING) {
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement()) {
                if (!isInstalled(statement)) {
                    server.closeWith(() -> remove(server));
                    statement.execute(RowLockGuard.schemaSql());
                }
                statement.execute(
                        switch (watch) {
                            case GUARDED -> RowLockGuard.guardSql(table, BUDGET, List.of());
                            case SAMPLED -> RowLockGuard.auditSql(table, 0.01, List.of());
                            default -> RowLockGuard.auditSql(table, 1, List.of());
                        });
            }
        }
        return new WatchedTable(server, watch, table);
    }

    private static boolean isInstalled(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("select to_regnamespace('rowlock') is not null")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static void remove(BenchmarkServer server) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(RowLockGuard.removalSql());
        }
    }

    /** What writes rows of the table, the first among them. */
    @FunctionalInterface
    interface Write {
        void run(Connection connection) throws SQLException;
    }

    /** Fails unless the guard refuses a writer, and the audit has noted those who did not lock and nobody else. */
    void check(boolean locking, Write write) throws SQLException {
        if (watch == Watch.GUARDED && !isRefused(write)) {
            throw new InvariantViolation("a writer was not refused while another transaction held the key of its row");
        }
        if (watch == Watch.AUDITED) {
            boolean noted;
            try (Connection connection = server.connect()) {
                noted = RowLockGuard.of(connection).strayWriters().stream()
                        .anyMatch(writer -> writer.table().equals(table));
            }
            if (noted == locking) {
                throw new InvariantViolation(
                        noted ? "the audit noted writers that had locked" : "the audit did not note who wrote");
            }
        }
    }

    private boolean isRefused(Write write) throws SQLException {
        try (Connection holder = server.connect();
                Connection writer = server.connect()) {
            holder.setAutoCommit(false);
            RowLocks.builder()
                    .strategy(LockStrategy.ADVISORY)
                    .build()
                    .in(holder)
                    .lock(LockKey.row(table, 1));
            write.run(writer);
            return false;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return true;
            }
            throw e;
        }
    }
}
