package org.rowlock.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.rowlock.CommitWrites;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLocks;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A running Spring transaction that has locked, or has promised writes at its commit: its connection, what it holds, what it
 * is to send, and what happens at its end. Bound to the thread with the transaction; belongs to one thread.
 */
final class LockedTransaction implements TransactionSynchronization {
    /** How many transactions of the thread are suspended, which may hold locks; none if it is not bound. */
    private static final String SUSPENDED = LockedTransaction.class.getName() + ".suspended";

    /** Stands in each transaction whose manager tells Rowlock of its commit. */
    private static final TransactionSynchronization HEARD_OF = new TransactionSynchronization() {
        @Override
        public void suspend() {
            add(1);
        }

        @Override
        public void resume() {
            add(-1);
        }

        private void add(int more) {
            Integer before = (Integer) TransactionSynchronizationManager.unbindResourceIfPossible(SUSPENDED);
            int now = (before == null ? 0 : before) + more;
            if (now > 0) {
                TransactionSynchronizationManager.bindResource(SUSPENDED, now);
            }
        }
    };

    /** Stands in each transaction that is being committed, or has been. */
    private static final TransactionSynchronization AT_ITS_COMMIT = new TransactionSynchronization() {};

    private final Key key;
    private final boolean heardOf;
    private boolean atItsCommit;

    /** One part for each savepoint, and one for what was before the first. */
    private final List<Part> parts = new ArrayList<>(List.of(new Part()));

    /** How many parts there were when a savepoint was set. */
    private final Map<Object, Integer> savepoints = new LinkedHashMap<>();

    private final List<Runnable> ends = new ArrayList<>(1);

    private @Nullable RowLocks committer;

    /** What it is bound to the thread by. */
    private record Key(DataSource dataSource) {}

    /** What a rollback to a savepoint takes away. */
    private record Part(CommitWrites writes, Set<LockKey> keys) {
        Part() {
            this(new CommitWrites(), new HashSet<>());
        }
    }

    private LockedTransaction(Key key, boolean heardOf) {
        this.key = key;
        this.heardOf = heardOf;
    }

    /**
     * Tells of the commits of a transaction manager. Spring calls it behind all that is registered for the moment before a
     * commit, also what is registered then, and rolls back if it throws.
     *
     * @param sends whether the promised writes are sent here, and not with the COMMIT
     */
    record Listener(boolean sends) implements TransactionExecutionListener {
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(HEARD_OF);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (transaction.isNewTransaction() && TransactionSynchronizationManager.isSynchronizationActive()) {
                for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                    if (each instanceof LockedTransaction locked) {
                        locked.finish(sends);
                    }
                }
                TransactionSynchronizationManager.registerSynchronization(AT_ITS_COMMIT);
            }
        }
    }

    /**
     * Whether the thread is in no transaction, nor in a scope that suspends one (NOT_SUPPORTED), which may hold locks too. A
     * scope without one (SUPPORTS) is none.
     */
    static boolean isNone() {
        return !TransactionSynchronizationManager.isActualTransactionActive()
                && !TransactionSynchronizationManager.hasResource(SUSPENDED);
    }

    /** Listens to a transaction manager, once. */
    static void listenTo(@Nullable Object manager) {
        if (manager instanceof ConfigurableTransactionManager telling
                && telling.getTransactionExecutionListeners().stream().noneMatch(Listener.class::isInstance)) {
            telling.addListener(new Listener(true));
        }
    }

    /**
     * That of the thread.
     *
     * @param what for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @throws IllegalTransactionStateException if there is no transaction, or none of this DataSource
     * @throws InvalidDataAccessApiUsageException if it is read-only
     */
    static LockedTransaction current(String what, DataSource dataSource) {
        Key key = new Key(target(dataSource));
        ConnectionHolder unused = holder(what, key.dataSource());
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new InvalidDataAccessApiUsageException(
                    what + ": the transaction is read-only, and row locks are refused"
                            + " there as FOR UPDATE is. Remove readOnly = true where the transaction begins.");
        }
        LockedTransaction known = find(key.dataSource());
        LockedTransaction current = known == null ? bind(key) : known;
        if (current.atItsCommit) {
            throw ended(what);
        }
        return current;
    }

    private static LockedTransaction bind(Key key) {
        List<TransactionSynchronization> others = TransactionSynchronizationManager.getSynchronizations();
        LockedTransaction current = new LockedTransaction(key, others.contains(HEARD_OF));
        current.atItsCommit = others.contains(AT_ITS_COMMIT);
        TransactionSynchronizationManager.registerSynchronization(current);
        TransactionSynchronizationManager.bindResource(key, current);
        return current;
    }

    static @Nullable LockedTransaction find(DataSource dataSource) {
        return (LockedTransaction) TransactionSynchronizationManager.getResource(new Key(dataSource));
    }

    private static ConnectionHolder holder(String what, DataSource dataSource) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException(
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
        throw new IllegalTransactionStateException(what + ": the running transaction is not one of " + dataSource
                + ". Name the DataSource that belongs to its transaction manager (dataSource = \"bean name\"), or the"
                + " transaction manager that belongs to the DataSource (@Transactional(\"bean name\")); with JPA, the"
                + " JpaTransactionManager has to know the DataSource.");
    }

    private static IllegalTransactionStateException ended(String what) {
        return new IllegalTransactionStateException(
                what + ": the transaction of this thread has ended, or sends its COMMIT now: this is its AFTER_COMMIT,"
                        + " AFTER_ROLLBACK or AFTER_COMPLETION phase, or its last flush. Begin one of its own:"
                        + " @Transactional(propagation = Propagation.REQUIRES_NEW).");
    }

    /** What transaction managers bind. */
    static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : dataSource;
    }

    /**
     * A wait, capped by what remains of the transaction's timeout. Throws TransactionTimedOutException if nothing remains, as
     * any statement would.
     */
    LockWait capped(String what, LockWait wait) {
        ConnectionHolder holder = holder(what, key.dataSource());
        return holder.hasTimeout()
                ? LockWaits.atMost(wait, Duration.ofMillis(Math.max(1, holder.getTimeToLiveInMillis())))
                : wait;
    }

    /** Runs something on the transaction's own connection. */
    <T> T on(Function<Connection, T> call) {
        Connection connection = DataSourceUtils.getConnection(key.dataSource());
        try {
            return call.apply(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, key.dataSource());
        }
    }

    /** Those that it does not hold for sure: a rollback to a savepoint may have given one back. */
    Set<LockKey> notHeld(Collection<? extends LockKey> keys) {
        Set<LockKey> notHeld = new HashSet<>(keys);
        parts.forEach(part -> notHeld.removeAll(part.keys()));
        return notHeld;
    }

    void holds(Set<LockKey> keys) {
        last().keys().addAll(keys);
    }

    /** Runs something when it has ended. */
    void atEnd(Runnable end) {
        ends.add(end);
    }

    /** The writes that it is to send at its end. */
    CommitWrites writes(String what, RowLocks locks) {
        if (!heardOf) {
            throw new IllegalTransactionStateException(
                    what + ": the transaction's manager does not tell Rowlock of its commit, so the writes would not be"
                            + " sent. Make the manager a bean, or give it to the RowLockTemplate; it has to be one of"
                            + " Spring's own (AbstractPlatformTransactionManager).");
        }
        commitBy(locks);
        return last().writes();
    }

    /** Leaves the COMMIT to Rowlock, where the manager is Rowlock's. */
    void commitBy(RowLocks locks) {
        committer = committer == null ? locks : committer;
    }

    boolean isCommittedByRowlock() {
        return committer != null;
    }

    private Part last() {
        return parts.get(parts.size() - 1);
    }

    /** Commits, with the writes in the same flush. */
    void commit(Connection connection) throws SQLException {
        try {
            in(connection).commit(all());
        } catch (LockException e) {
            throw LockExceptionTranslator.translate(e);
        }
    }

    private org.rowlock.TransactionLocks in(Connection connection) {
        if (committer == null) {
            throw new IllegalStateException("The transaction has no writes and no early release");
        }
        return committer.in(connection);
    }

    private CommitWrites all() {
        CommitWrites all = new CommitWrites();
        parts.forEach(part -> all.addAll(part.writes()));
        return all;
    }

    /** What can still fail the commit, and has to be behind everything else. */
    private void finish(boolean sends) {
        atItsCommit = true;
        CommitWrites all = all();
        Connection connection = DataSourceUtils.getConnection(key.dataSource());
        try {
            refuseSilentRollback(connection);
            if (sends && !all.isEmpty()) {
                in(connection).send(all);
            }
        } catch (LockException e) {
            throw LockExceptionTranslator.translate(e);
        } catch (SQLException e) {
            throw new SQLErrorCodeSQLExceptionTranslator("PostgreSQL").translate("writes at commit", null, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, key.dataSource());
        }
    }

    /**
     * Looks whether an error that was caught has aborted the transaction: the server would answer COMMIT with a rollback, of
     * which the driver says nothing. It asks the driver, and takes no round trip.
     */
    private static void refuseSilentRollback(Connection connection) {
        if (isAborted(connection)) {
            // Not Spring's UnexpectedRollbackException, for which the transaction manager would not roll back.
            throw new InvalidDataAccessApiUsageException(
                    "A statement of the transaction failed and the work went on, but PostgreSQL had aborted the"
                            + " transaction and would have answered COMMIT with a rollback: nothing of it is stored. Let"
                            + " the work throw what its statements throw, or put a savepoint around the statement that"
                            + " may fail (Propagation.NESTED).",
                    firstError(connection));
        }
    }

    /** Of a connection that is lost the commit itself tells. */
    private static boolean isAborted(Connection connection) {
        try {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        } catch (SQLException e) {
            return false;
        }
    }

    /** The driver keeps the first error of a transaction, and gives it as the cause of any that follows. */
    private static @Nullable SQLException firstError(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
            return null;
        } catch (SQLException e) {
            return e.getCause() instanceof SQLException first ? first : e;
        }
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!heardOf) {
            finish(false);
            atItsCommit = false;
        }
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, parts.size());
        parts.add(new Part());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        // One that is not known was set before there was anything.
        parts.subList(savepoints.getOrDefault(savepoint, 0), parts.size()).clear();
        parts.add(new Part());
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(key);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(key, this);
    }

    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(key);
        ends.forEach(Runnable::run);
    }
}
