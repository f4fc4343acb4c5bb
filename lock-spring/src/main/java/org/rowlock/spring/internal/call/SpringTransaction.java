package org.rowlock.spring.internal.call;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
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
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A running Spring transaction that has locked, or has promised writes at its commit: its connection, what it holds,
 * what it is to send, and what happens at its end. Bound to the thread with the transaction; belongs to one thread.
 */
public final class SpringTransaction implements TransactionSynchronization {
    private final Key key;
    private final RowLocks locks;
    private final CommitListener.@Nullable Begun begun;
    private boolean ended;

    /** One part for each savepoint, and one for what was before the first. */
    private final List<Part> parts = new ArrayList<>(List.of(new Part("")));

    private final List<Runnable> ends = new ArrayList<>(1);

    private boolean committedByRowlock;

    /** What it is bound to the thread by. */
    private record Key(DataSource dataSource) {}

    /** What a rollback to a savepoint takes away. */
    private record Part(Object savepoint, CommitWrites writes, Map<LockKey, RowLockMode> held) {
        Part(Object savepoint) {
            this(savepoint, new CommitWrites(), new HashMap<>());
        }
    }

    private SpringTransaction(Key key, RowLocks locks) {
        this.key = key;
        this.locks = locks;
        this.begun = CommitListener.begun(key.dataSource());
    }

    /**
     * That of the thread.
     *
     * @param what for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @throws InvalidDataAccessApiUsageException if there is no transaction, or none of this DataSource, or it is
     *     read-only. For a TransactionException, thrown before the commit, Spring would not roll back
     */
    public static SpringTransaction current(String what, DataSource dataSource, RowLocks locks) {
        Key key = new Key(Pools.bound(dataSource));
        ConnectionHolder unused = holder(what, key.dataSource());
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new InvalidDataAccessApiUsageException(
                    what + ": the transaction is read-only, and row locks are refused"
                            + " there as FOR UPDATE is. Remove readOnly = true where the transaction begins.");
        }
        SpringTransaction current = Objects.requireNonNullElseGet(find(key.dataSource()), () -> bind(key, locks));
        if (current.begun != null && current.begun.isAtItsCommit()) {
            throw ended(what);
        }
        return current;
    }

    private static SpringTransaction bind(Key key, RowLocks locks) {
        SpringTransaction current = new SpringTransaction(key, locks);
        TransactionSynchronizationManager.registerSynchronization(current);
        TransactionSynchronizationManager.bindResource(key, current);
        return current;
    }

    public static @Nullable SpringTransaction find(DataSource dataSource) {
        return (SpringTransaction) TransactionSynchronizationManager.getResource(new Key(dataSource));
    }

    /** Those that end with it. */
    static List<SpringTransaction> of(CommitListener.Begun begun) {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(each -> each instanceof SpringTransaction locked && locked.begun == begun)
                .map(SpringTransaction.class::cast)
                .toList();
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
        ConnectionHolder holder = holder(what, key.dataSource());
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
        Connection connection = DataSourceUtils.getConnection(key.dataSource());
        try {
            return Objects.requireNonNull(call.doInConnection(connection));
        } catch (RowlockException e) {
            throw LockExceptionTranslator.translate(e);
        } catch (SQLException e) {
            throw new SQLErrorCodeSQLExceptionTranslator("PostgreSQL").translate("writes at commit", null, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, key.dataSource());
        }
    }

    /**
     * Those that it does not hold for sure, at least in this mode: a rollback to a savepoint may have given one back.
     */
    public Set<LockKey> notHeld(Collection<? extends LockKey> keys, RowLockMode weakest) {
        Set<LockKey> notHeld = new HashSet<>(keys);
        notHeld.removeIf(key -> parts.stream().anyMatch(part -> {
            RowLockMode mode = part.held().get(key);
            return mode != null && mode.compareTo(weakest) <= 0;
        }));
        return notHeld;
    }

    void holds(LockKey key, RowLockMode mode) {
        last().held().merge(key, mode, (before, now) -> before.compareTo(now) < 0 ? before : now);
    }

    /** Runs something when it has ended. */
    void atEnd(Runnable end) {
        ends.add(end);
    }

    /** The writes that it is to send at its end. */
    public CommitWrites writes(String what) {
        // In autocommit there is no transaction: a statement has borrowed it in that of another DataSource.
        if (begun == null || this.<Boolean>on(Connection::getAutoCommit)) {
            throw new InvalidDataAccessApiUsageException(what + ": the running transaction is not one of "
                    + key.dataSource() + ", or its manager does not tell"
                    + " Rowlock of its commit, so the writes would not be sent. Make the manager of this"
                    + " DataSource a bean, or give it to the RowLockTemplate, and begin the transaction with it;"
                    + " it has to be one of Spring's own (AbstractPlatformTransactionManager).");
        }
        commitByRowlock();
        return last().writes();
    }

    /** Leaves the COMMIT to Rowlock, where the manager is Rowlock's. */
    void commitByRowlock() {
        committedByRowlock = true;
    }

    public boolean isCommittedByRowlock() {
        return committedByRowlock;
    }

    private Part last() {
        return parts.get(parts.size() - 1);
    }

    /** Commits, with the writes in the same flush. */
    public void commit() {
        CommitWrites all = all();
        Object unused = on(connection -> {
            locks.in(connection).commit(all);
            return all;
        });
    }

    private CommitWrites all() {
        CommitWrites all = new CommitWrites();
        parts.forEach(part -> all.addAll(part.writes()));
        return all;
    }

    /**
     * What can still fail the commit, and has to be behind everything else. An error that was caught may have aborted
     * the transaction: the server would answer COMMIT with a rollback, of which the driver says nothing.
     */
    void finish(boolean sends) {
        CommitWrites toSend = sends ? all() : new CommitWrites();
        Object unused = on(connection -> {
            locks.in(connection).send(toSend);
            return toSend;
        });
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (begun == null && TransactionSynchronizationManager.hasResource(key.dataSource())) {
            finish(false);
        }
    }

    @Override
    public void savepoint(Object savepoint) {
        parts.add(new Part(savepoint));
    }

    @Override
    public void savepointRollback(Object savepoint) {
        // One that is not known was set before there was anything.
        int first = Math.max(0, parts.stream().map(Part::savepoint).toList().indexOf(savepoint));
        parts.subList(first, parts.size()).clear();
        parts.add(new Part(savepoint));
    }

    @Override
    public void suspend() {
        if (!ended) {
            TransactionSynchronizationManager.unbindResourceIfPossible(key);
        }
    }

    @Override
    public void resume() {
        if (!ended) {
            TransactionSynchronizationManager.bindResource(key, this);
        }
    }

    @Override
    public void afterCompletion(int status) {
        end();
    }

    /** Gives back what lasts as long as it does. */
    void end() {
        if (!ended) {
            ended = true;
            TransactionSynchronizationManager.unbindResourceIfPossible(key);
            ends.forEach(Runnable::run);
        }
    }
}
