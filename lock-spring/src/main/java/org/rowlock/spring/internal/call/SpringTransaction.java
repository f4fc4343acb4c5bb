package org.rowlock.spring.internal.call;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.spring.LockExceptionTranslator;
import org.rowlock.spring.internal.annotation.LockWaits;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A running Spring transaction of one DataSource: its connection, what it holds, what it is to send, and what happens
 * at its end. Stands in each transaction whose manager informs Rowlock of its commit, whether it locks or not, and in
 * each other that locks, among the synchronizations of the thread; the first to be suspended and resumed. Belongs to
 * one thread.
 */
public final class SpringTransaction extends SavepointParts {
    /** What its manager informs of; null if it does not. */
    private final @Nullable TransactionExecution execution;

    /** What it locks in; null if its manager does not say, which may commit any that no other does. */
    private final @Nullable DataSource dataSource;

    private @Nullable RowLocks locks;
    private boolean atItsCommit;
    private boolean ended;

    /** Leaves the COMMIT to Rowlock, where the manager is Rowlock's. */
    boolean committedByRowlock;

    private final List<Runnable> ends = new ArrayList<>(0);

    /** What it is bound to the thread by from its first lock on, so that each further one finds it at once. */
    private record Key(@Nullable DataSource dataSource) {}

    SpringTransaction(@Nullable TransactionExecution execution, @Nullable DataSource dataSource) {
        this.execution = execution;
        this.dataSource = dataSource;
    }

    /**
     * That of the thread.
     *
     * @param what for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @throws InvalidDataAccessApiUsageException if there is no transaction, or none of this DataSource, or it is
     *     read-only. For a TransactionException, thrown before the commit, Spring would not roll back
     */
    public static SpringTransaction current(String what, DataSource dataSource, RowLocks locks) {
        DataSource bound = Pools.bound(dataSource);
        ConnectionHolder unused = holder(what, bound);
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new InvalidDataAccessApiUsageException(
                    what + ": the transaction is read-only, and row locks are refused"
                            + " there as FOR UPDATE is. Remove readOnly = true where the transaction begins.");
        }
        SpringTransaction current = Objects.requireNonNullElseGet(find(bound), () -> begin(bound));
        if (current.atItsCommit) {
            throw ended(what);
        }
        if (current.locks == null) {
            TransactionSynchronizationManager.bindResource(new Key(bound), current);
        }
        current.locks = locks;
        return current;
    }

    /** Refuses to wait for a transaction of this very thread, which goes on only when the wait is over. */
    void refuseSuspended(String what, LockRequest request) {
        for (Object bound : TransactionSynchronizationManager.getResourceMap().keySet()) {
            if (bound instanceof SpringTransaction suspended && database().equals(suspended.dataSource)) {
                for (LockKey key : request.keys()) {
                    // Two shared locks of one row stand beside each other.
                    RowLockMode weakest =
                            request.modeOf(key).isShared() ? RowLockMode.FOR_NO_KEY_UPDATE : RowLockMode.FOR_SHARE;
                    if (suspended.notHeld(Set.of(key), weakest).isEmpty()) {
                        throw new InvalidDataAccessApiUsageException(what + ": the transaction that this one has"
                                + " suspended (REQUIRES_NEW) holds the row, and ends only after this one: the wait"
                                + " would have no end. Lock it in one of them, or run both in one transaction.");
                    }
                }
            }
        }
    }

    /** That of a DataSource, as transaction managers bind it; null if none has locked there. */
    public static @Nullable SpringTransaction find(DataSource dataSource) {
        return (SpringTransaction) TransactionSynchronizationManager.getResource(new Key(dataSource));
    }

    /** The one that its manager has informed of; else a new one, with what its manager says if that is known. */
    private static SpringTransaction begin(DataSource dataSource) {
        SpringTransaction informed = last(each -> dataSource.equals(each.dataSource));
        if (informed != null) {
            return informed;
        }
        SpringTransaction ofAny = last(each -> each.dataSource == null);
        SpringTransaction begun = new SpringTransaction(ofAny == null ? null : ofAny.execution, dataSource);
        begun.atItsCommit = ofAny != null && ofAny.atItsCommit;
        TransactionSynchronizationManager.registerSynchronization(begun);
        return begun;
    }

    /** Of several, one in another, the last. */
    private static @Nullable SpringTransaction last(Predicate<SpringTransaction> which) {
        return all().filter(each -> each.execution == null ? !each.ended : !each.execution.isCompleted())
                .filter(which)
                .reduce((before, last) -> last)
                .orElse(null);
    }

    /** Those that end with it. */
    static List<SpringTransaction> of(TransactionExecution execution) {
        return all().filter(each -> execution.equals(each.execution)).toList();
    }

    private static Stream<SpringTransaction> all() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? TransactionSynchronizationManager.getSynchronizations().stream()
                        .filter(SpringTransaction.class::isInstance)
                        .map(SpringTransaction.class::cast)
                : Stream.empty();
    }

    private static ConnectionHolder holder(String what, DataSource dataSource) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new InvalidDataAccessApiUsageException(
                    what + ": there is no transaction, and without one the lock would be"
                            + " gone at once. Add @Transactional to the method or a caller (without Spring Boot also"
                            + " @EnableTransactionManagement); a call within the same object passes no proxy and begins"
                            + " none.");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw ended(what);
        }
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder) {
            return holder;
        }
        throw new InvalidDataAccessApiUsageException(what + ": the running transaction is not one of " + dataSource
                + ". Name the transaction manager that belongs to the DataSource (@Transactional(\"bean name\"));"
                + " with JPA, the JpaTransactionManager has to know the DataSource.");
    }

    private static InvalidDataAccessApiUsageException ended(String what) {
        return new InvalidDataAccessApiUsageException(
                what + ": the transaction of this thread has ended, or sends its COMMIT now: this is its AFTER_COMMIT,"
                        + " AFTER_ROLLBACK or AFTER_COMPLETION phase, or its last flush. Begin one of its own:"
                        + " @Transactional(propagation = Propagation.REQUIRES_NEW).");
    }

    /** A wait, capped by what remains of the transaction's timeout; refused if nothing does. */
    LockWait capped(String what, LockWait wait) {
        ConnectionHolder holder = holder(what, database());
        try {
            return holder.hasTimeout()
                    ? LockWaits.atMost(wait, Duration.ofMillis(Math.max(1, holder.getTimeToLiveInMillis())))
                    : wait;
        } catch (TransactionTimedOutException e) {
            throw new QueryTimeoutException(
                    what + ": the timeout of the transaction is over, so nothing is locked any more. Give it a longer"
                            + " timeout, or let it do less.",
                    e);
        }
    }

    /** Runs something on the transaction's own connection; what that throws becomes Spring's. */
    <T> T on(ConnectionCallback<T> call) {
        Connection connection = DataSourceUtils.getConnection(database());
        try {
            return Objects.requireNonNull(call.doInConnection(connection));
        } catch (RowlockException e) {
            throw LockExceptionTranslator.translate(e);
        } catch (SQLException e) {
            throw new SQLErrorCodeSQLExceptionTranslator("PostgreSQL").translate("writes at commit", null, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, database());
        }
    }

    /** Of one that has locked, or is to. */
    private DataSource database() {
        return Objects.requireNonNull(dataSource);
    }

    /** Runs something when it has ended, before listeners that run then. */
    void atEnd(Runnable end) {
        ends.add(end);
    }

    /** The writes that it is to send at its end. */
    public CommitWrites writes(String what) {
        // In autocommit there is no transaction: a statement has borrowed it in that of another DataSource.
        if (execution == null || this.<Boolean>on(Connection::getAutoCommit)) {
            throw new InvalidDataAccessApiUsageException(what + ": the running transaction is not one of " + dataSource
                    + ", or its manager does not tell Rowlock of its commit, so the writes would not be sent."
                    + " Make the manager of this DataSource a bean, or give it to the RowLockTemplate, and begin the"
                    + " transaction with it; it has to be one of Spring's own (AbstractPlatformTransactionManager).");
        }
        committedByRowlock = true;
        return lastWrites();
    }

    /** Commits, with the writes in the same flush, where that is left to Rowlock; else does nothing, and says so. */
    public boolean commit() {
        return committedByRowlock
                && on(connection -> {
                    Objects.requireNonNull(locks).in(connection).commit(allWrites());
                    return true;
                });
    }

    /** What can still fail the commit, and has to be behind everything else. */
    void finish(boolean sends) {
        if (locks != null) {
            send(sends ? allWrites() : new CommitWrites());
        }
        atItsCommit = true;
    }

    /**
     * Also where there are no writes: an error that was caught may have aborted the transaction, and the server would
     * answer COMMIT with a rollback, of which the driver says nothing.
     */
    private void send(CommitWrites writes) {
        Object unused = on(connection -> {
            Objects.requireNonNull(locks).in(connection).send(writes);
            return writes;
        });
    }

    @Override
    public int getOrder() {
        // Nobody else says that it commits.
        return execution == null ? LOWEST_PRECEDENCE : HIGHEST_PRECEDENCE;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (execution == null && TransactionSynchronizationManager.hasResource(database())) {
            send(new CommitWrites());
        }
    }

    /** Bound to the thread as long as it is suspended, since it may hold locks. */
    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(new Key(dataSource));
        TransactionSynchronizationManager.bindResource(this, this);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.unbindResourceIfPossible(this);
        if (locks != null && !ended) {
            TransactionSynchronizationManager.bindResource(new Key(dataSource), this);
        }
    }

    @Override
    public void afterCommit() {
        end();
    }

    /** It is suspended still if another synchronization has thrown when it was to be resumed. */
    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(this);
        end();
    }

    /** Gives back what lasts as long as it does. */
    void end() {
        if (!ended) {
            ended = true;
            TransactionSynchronizationManager.unbindResourceIfPossible(new Key(dataSource));
            ends.forEach(Runnable::run);
        }
    }
}
