package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.jmh.server.BenchmarkServer;

/** A table with a guard or an audit. The schema of both goes with the benchmark, unless it was there before. */
public record WatchedTable(BenchmarkServer server, Watch watch, String table) {
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

    static WatchedTable watch(BenchmarkServer server, Watch watch, String table) throws SQLException {
        if (watch != Watch.NOTHING) {
            boolean isInstalled = server.numbers("select count(to_regnamespace('rowlock'))")[0] > 0;
            if (!isInstalled) {
                server.closeWith(() -> server.execute(RowLockGuard.removalSql()));
                server.execute(RowLockGuard.schemaSql());
            }
            server.execute(
                    switch (watch) {
                        case GUARDED -> RowLockGuard.guardSql(table, BUDGET, List.of());
                        case SAMPLED -> RowLockGuard.auditSql(table, 0.01, List.of());
                        default -> RowLockGuard.auditSql(table, 1, List.of());
                    });
        }
        return new WatchedTable(server, watch, table);
    }

    /**
     * Fails unless the guard refuses a writer, and the audit has noted those who did not lock and nobody else.
     *
     * @param write changes rows of the table, the first among them
     */
    void check(boolean locking, Locking.Work write) throws SQLException {
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

    private boolean isRefused(Locking.Work write) throws SQLException {
        try (Connection holder = server.begin();
                Connection writer = server.connect()) {
            RowLocks.builder()
                    .strategy(LockStrategy.ADVISORY)
                    .build()
                    .in(holder)
                    .lock(forUpdate(LockKey.row(table, 1)));
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
