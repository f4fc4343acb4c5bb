package org.rowlock.spring.test;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockInspector.Line;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Finds out whether a key is held. pg_locks shows advisory locks. No view shows row locks, so a second connection tries
 * to lock the row. If the row is held, the transaction of this thread also tries to lock the row, which succeeds if
 * this transaction is the holder. The transaction then rolls back to a savepoint, so that it holds no additional lock.
 */
record LockProbe(RowLocks locks, DataSource dataSource, LockKey key) {
    private static final Answer BY_THIS = new Answer(true, "this transaction has locked it");
    private static final Answer BY_NOBODY = new Answer(false, "no transaction has locked it");

    /**
     * The result.
     *
     * @param text the text for a message, without a full stop
     */
    record Answer(boolean isHeld, String text) {}

    Answer ask(boolean ofThisTransaction) {
        boolean isTried = LockAccess.of(locks).config().strategyOf(key) == LockStrategy.ROW;
        try {
            if (!ofThisTransaction) {
                return elsewhere(isTried);
            }
            Connection own = DataSourceUtils.getConnection(dataSource);
            try {
                if (!isTried) {
                    return read(own, own.unwrap(PGConnection.class).getBackendPID());
                }
                Answer anybody = elsewhere(true);
                return anybody.isHeld() ? tryBehindSavepoint(own) : anybody;
            } finally {
                DataSourceUtils.releaseConnection(own, dataSource);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot find out whether " + key + " is locked: " + e.getMessage(), e);
        }
    }

    private Answer elsewhere(boolean isTried) throws SQLException {
        try (Connection other = dataSource.getConnection()) {
            boolean autoCommit = other.getAutoCommit();
            other.setAutoCommit(false);
            try {
                Answer tried = isTried ? tryLock(other) : read(other, null);
                return tried == null ? new Answer(true, "a transaction has locked the row") : tried;
            } finally {
                other.rollback();
                other.setAutoCommit(autoCommit);
            }
        }
    }

    /** @param own the server process whose locks are read; null for all server processes */
    private Answer read(Connection connection, @Nullable Integer own) throws SQLException {
        List<Line> holders = new LockInspector(connection)
                .of(key).stream().filter(Line::isGranted).toList();
        if (holders.stream().anyMatch(line -> own != null && line.pid() == own)) {
            return BY_THIS;
        }
        return holders.isEmpty() ? BY_NOBODY : new Answer(own == null, others(holders));
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

    private Answer tryBehindSavepoint(Connection own) throws SQLException {
        Savepoint before = own.setSavepoint();
        try {
            return tryLock(own) == null ? new Answer(false, "another transaction has locked the row") : BY_THIS;
        } finally {
            own.rollback(before);
            own.releaseSavepoint(before);
        }
    }

    /** Tries to lock the row. Returns null if another transaction holds the lock. */
    private @Nullable Answer tryLock(Connection connection) {
        try {
            return locks.in(connection)
                            .lock(forUpdate(key).noWait().allowAbsent())
                            .isHeld()
                    ? BY_NOBODY
                    : new Answer(false, "there is no such row, and strategy ROW locks only rows that exist");
        } catch (LockNotAvailableException e) {
            return null;
        }
    }
}
