package org.rowlock.spring.test;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockInspector.Line;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Finds the holder of a key. Advisory locks are read from pg_locks, which is exact. A row lock is in no view:
 * whether somebody has it is tried from a second connection, and whether it is this transaction behind a savepoint, so
 * that nothing more is held afterwards.
 */
record LockProbe(RowLocks locks, DataSource dataSource, LockKey key) {

    /**
     * What was found.
     *
     * @param text for a message, without a full stop
     */
    record Answer(boolean isHeld, String text) {}

    /** Whether any transaction holds it, or the one of this thread does. */
    Answer ask(boolean ofThisTransaction) {
        try {
            return ofThisTransaction ? ofThisTransaction() : ofAnybody();
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot find out whether " + key + " is locked: " + e.getMessage(), e);
        }
    }

    private boolean hasAdvisoryLock() {
        return locks.strategyOf(key) != LockStrategy.ROW;
    }

    private Answer ofThisTransaction() throws SQLException {
        Connection own = DataSourceUtils.getConnection(dataSource);
        try {
            if (hasAdvisoryLock()) {
                int pid = own.unwrap(PGConnection.class).getBackendPID();
                List<Line> holders = holders(own);
                return holders.stream().anyMatch(line -> line.pid() == pid)
                        ? new Answer(true, "this transaction has locked it")
                        : new Answer(false, holders.isEmpty() ? "nobody has locked it" : others(holders));
            }
            Answer anybody = tryElsewhere();
            return anybody.isHeld() ? tryBehindSavepoint(own) : anybody;
        } finally {
            DataSourceUtils.releaseConnection(own, dataSource);
        }
    }

    private Answer ofAnybody() throws SQLException {
        if (!hasAdvisoryLock()) {
            return tryElsewhere();
        }
        try (Connection connection = dataSource.getConnection()) {
            List<Line> holders = holders(connection);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return holders.isEmpty() ? new Answer(false, "nobody has locked it") : new Answer(true, others(holders));
        }
    }

    private List<Line> holders(Connection connection) throws SQLException {
        return LockInspector.of(connection).of(key).stream()
                .filter(Line::isGranted)
                .toList();
    }

    private static String others(List<Line> holders) {
        return holders.stream()
                .map(line -> "server process " + line.pid()
                        + line.application().map(name -> " (" + name + ")").orElse("") + " has locked it"
                        + (line.isShared() ? ", shared" : "")
                        + line.query()
                                .map(query -> ", last statement: " + query)
                                .orElse(""))
                .collect(Collectors.joining("; "));
    }

    private Answer tryElsewhere() throws SQLException {
        try (Connection other = dataSource.getConnection()) {
            boolean autoCommit = other.getAutoCommit();
            other.setAutoCommit(false);
            try {
                return tryLock(other)
                        .map(isRow -> new Answer(
                                false,
                                isRow
                                        ? "nobody has locked it"
                                        : "there is no such row, and strategy" + " ROW locks none"))
                        .orElseGet(() -> new Answer(true, "a transaction has locked the row"));
            } finally {
                other.rollback();
                other.setAutoCommit(autoCommit);
            }
        }
    }

    private Answer tryBehindSavepoint(Connection own) throws SQLException {
        Savepoint before = own.setSavepoint();
        try {
            return tryLock(own).isPresent()
                    ? new Answer(true, "this transaction has locked it")
                    : new Answer(false, "another transaction has locked the row");
        } finally {
            own.rollback(before);
            own.releaseSavepoint(before);
        }
    }

    /** Whether there is such a row; empty if it could not be had. */
    private Optional<Boolean> tryLock(Connection connection) {
        try {
            return Optional.of(
                    locks.in(connection).lock(forUpdate(key).noWait()).isLocked());
        } catch (LockNotAvailableException e) {
            return Optional.empty();
        }
    }
}
