package org.rowlock.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockException;
import org.rowlock.RowLocks;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The writes that the running transaction sends at its end: right before the commit, in one flush, or with it where the
 * transaction manager is a {@link RowLockTransactionManager}. Those added behind a savepoint go when it is rolled back.
 */
final class PendingWrites implements TransactionSynchronization {
    private final Pending pending;
    private final RowLocks locks;

    /** One part for each savepoint that writes were added behind, and one for those before. */
    private final List<CommitWrites> parts = new ArrayList<>(List.of(new CommitWrites()));

    /** How many parts there were when a savepoint was set. */
    private final Map<Object, Integer> savepoints = new LinkedHashMap<>();

    private boolean leftToCommit;

    /** What is bound to the thread while there are any. */
    private record Pending(DataSource dataSource) {}

    private PendingWrites(Pending pending, RowLocks locks) {
        this.pending = pending;
        this.locks = locks;
    }

    /** Those of the running transaction. */
    static CommitWrites of(DataSource dataSource, RowLocks locks) {
        PendingWrites writes = bind(dataSource, locks);
        return writes.parts.get(writes.parts.size() - 1);
    }

    /** Makes the commit of the running transaction one with writes, of which there may be none. */
    static PendingWrites bind(DataSource dataSource, RowLocks locks) {
        PendingWrites writes = find(dataSource);
        if (writes == null) {
            Pending pending = new Pending(dataSource);
            writes = new PendingWrites(pending, locks);
            TransactionSynchronizationManager.registerSynchronization(writes);
            TransactionSynchronizationManager.bindResource(pending, writes);
        }
        return writes;
    }

    static @Nullable PendingWrites find(DataSource dataSource) {
        return (PendingWrites) TransactionSynchronizationManager.getResource(new Pending(dataSource));
    }

    /** Has them sent with the commit, and not before. */
    void leaveToCommit() {
        leftToCommit = true;
    }

    /** Commits, with them in the same flush. */
    void commit(Connection connection) throws SQLException {
        try {
            locks.in(connection).commit(all());
        } catch (LockException e) {
            throw LockExceptionTranslator.translate(e);
        }
    }

    private CommitWrites all() {
        CommitWrites all = new CommitWrites();
        parts.forEach(all::addAll);
        return all;
    }

    @Override
    public int getOrder() {
        // Behind what others write before the commit.
        return LOWEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        CommitWrites all = all();
        if (leftToCommit || all.isEmpty()) {
            return;
        }
        Connection connection = DataSourceUtils.getConnection(pending.dataSource());
        try {
            locks.in(connection).send(all);
        } catch (LockException e) {
            throw LockExceptionTranslator.translate(e);
        } catch (SQLException e) {
            throw new SQLErrorCodeSQLExceptionTranslator("PostgreSQL").translate("writes at commit", null, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, pending.dataSource());
        }
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, parts.size());
        parts.add(new CommitWrites());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        Integer before = savepoints.get(savepoint);
        if (before != null) {
            parts.subList(before, parts.size()).clear();
            parts.add(new CommitWrites());
        } else {
            // Set before there were any.
            parts.clear();
            parts.add(new CommitWrites());
        }
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(pending);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(pending, this);
    }

    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(pending);
    }
}
