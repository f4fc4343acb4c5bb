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
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A running Spring transaction that has locked, or has promised writes at its commit: its connection, what it holds,
 * what it is to send, and what happens at its end. Bound to the thread with the transaction; belongs to one thread.
 */
final class LockedTransaction implements TransactionSynchronization {
    /** How many transactions of the thread are suspended, which may hold locks; none if it is not bound. */
    private static final String SUSPENDED = LockedTransaction.class.getName() + ".suspended";

    private static final Log LOG = LogFactory.getLog(LockedTransaction.class);

    /** Stands in each transaction whose manager notifies Rowlock of its commit; first to be suspended and resumed. */
    private static final class Told implements TransactionSynchronization {
        private final Listener by;
        private boolean atItsCommit;
        private boolean ended;
        private boolean suspended;

        Told(Listener by) {
            this.by = by;
        }

        /** One of the transaction of the thread that has not ended; of several that is the last. */
        static @Nullable Told find(Predicate<Told> which) {
            Told found = null;
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof Told told && !told.ended && which.test(told)) {
                    found = told;
                }
            }
            return found;
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            suspended = true;
            add(1);
        }

        @Override
        public void resume() {
            suspended = false;
            add(-1);
        }

        /** It is suspended still if another synchronization has thrown when it was to be. */
        @Override
        public void afterCompletion(int status) {
            if (suspended) {
                resume();
            }
        }

        private static void add(int more) {
            Integer before = (Integer) TransactionSynchronizationManager.unbindResourceIfPossible(SUSPENDED);
            int now = (before == null ? 0 : before) + more;
            if (now > 0) {
                TransactionSynchronizationManager.bindResource(SUSPENDED, now);
            }
        }
    }

    private final Key key;
    private final @Nullable Told told;
    private boolean ended;

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

    private LockedTransaction(Key key, @Nullable Told told) {
        this.key = key;
        this.told = told;
    }

    /**
     * Reports the commits of a transaction manager, and of what is in the DataSource that this commits. Spring calls
     * it behind all that is registered for the moment before a commit, also what is registered then, and rolls back if
     * it throws.
     */
    static final class Listener implements TransactionExecutionListener {
        private final ConfigurableTransactionManager manager;

        Listener(ConfigurableTransactionManager manager) {
            this.manager = manager;
        }

        /** Null if the manager does not say: then it is each that no other manager commits. */
        private @Nullable DataSource dataSource() {
            DataSource dataSource = DataSources.of(manager);
            return dataSource == null ? null : target(dataSource);
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            // A savepoint (NESTED) is none.
            if (failure == null
                    && transaction.isNewTransaction()
                    && TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new Told(this));
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            Told told = told(transaction);
            if (told != null) {
                for (LockedTransaction each : lockedBy(told)) {
                    // Rowlock's own manager sends them with the COMMIT.
                    each.finish(!(manager instanceof RowLockTransactionManager));
                }
                told.atItsCommit = true;
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            end(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            end(transaction);
        }

        /** Those of another manager, around it, go on; theirs are the synchronizations. */
        private void end(TransactionExecution transaction) {
            Told told = told(transaction);
            if (told != null) {
                told.ended = true;
                lockedBy(told).forEach(LockedTransaction::end);
            }
        }

        private @Nullable Told told(TransactionExecution transaction) {
            return transaction.isNewTransaction() && TransactionSynchronizationManager.isSynchronizationActive()
                    ? Told.find(told -> told.by == this)
                    : null;
        }

        private static List<LockedTransaction> lockedBy(Told told) {
            return TransactionSynchronizationManager.getSynchronizations().stream()
                    .filter(each -> each instanceof LockedTransaction locked && locked.told == told)
                    .map(LockedTransaction.class::cast)
                    .toList();
        }
    }

    /**
     * Whether a call may queue: the thread is in no transaction, nor in a scope that suspends one (NOT_SUPPORTED),
     * which may hold locks too, nor in one without a transaction (SUPPORTS) that has a connection or an entity manager
     * already.
     */
    static boolean mayQueue() {
        if (TransactionSynchronizationManager.isActualTransactionActive()
                || TransactionSynchronizationManager.hasResource(SUSPENDED)) {
            return false;
        }
        if (TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.getResourceMap().values().stream()
                        .anyMatch(ResourceHolder.class::isInstance)) {
            LOG.debug("The call does not queue in the JVM: a scope around it, such as SUPPORTS, has read something"
                    + " and keeps its connection");
            return false;
        }
        return true;
    }

    /** Listens to a transaction manager, once. */
    static void listenTo(@Nullable Object manager) {
        if (manager instanceof ConfigurableTransactionManager telling
                && telling.getTransactionExecutionListeners().stream().noneMatch(Listener.class::isInstance)) {
            // The application's own collection may be one that cannot change.
            List<TransactionExecutionListener> all = new ArrayList<>(telling.getTransactionExecutionListeners());
            all.add(new Listener(telling));
            telling.setTransactionExecutionListeners(all);
        }
    }

    /**
     * That of the thread.
     *
     * @param what for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @throws InvalidDataAccessApiUsageException if there is no transaction, or none of this DataSource, or it is
     *     read-only. For a TransactionException, thrown before the commit, Spring would not roll back
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
        if (current.told != null && current.told.atItsCommit) {
            throw ended(what);
        }
        return current;
    }

    private static LockedTransaction bind(Key key) {
        Told its = Told.find(told -> key.dataSource().equals(told.by.dataSource()));
        LockedTransaction current =
                new LockedTransaction(key, its == null ? Told.find(told -> told.by.dataSource() == null) : its);
        TransactionSynchronizationManager.registerSynchronization(current);
        TransactionSynchronizationManager.bindResource(key, current);
        return current;
    }

    static @Nullable LockedTransaction find(DataSource dataSource) {
        return (LockedTransaction) TransactionSynchronizationManager.getResource(new Key(dataSource));
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
                + ". Name the DataSource that belongs to its transaction manager (dataSource = \"bean name\"), or the"
                + " transaction manager that belongs to the DataSource (@Transactional(\"bean name\")); with JPA, the"
                + " JpaTransactionManager has to know the DataSource.");
    }

    private static InvalidDataAccessApiUsageException ended(String what) {
        return new InvalidDataAccessApiUsageException(
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
     * A wait, capped by what remains of the transaction's timeout.
     *
     * @throws QueryTimeoutException if nothing remains
     */
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
        if (told == null || this.<Boolean>on(LockedTransaction::isAutoCommit)) {
            throw new InvalidDataAccessApiUsageException(what + ": the running transaction is not one of "
                    + key.dataSource() + ", or its manager does not tell"
                    + " Rowlock of its commit, so the writes would not be sent. Make the manager of this"
                    + " DataSource a bean, or give it to the RowLockTemplate, and begin the transaction with it;"
                    + " it has to be one of Spring's own (AbstractPlatformTransactionManager).");
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
        } catch (RowlockException e) {
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
        CommitWrites all = all();
        Connection connection = DataSourceUtils.getConnection(key.dataSource());
        try {
            refuseSilentRollback(connection);
            if (sends && !all.isEmpty()) {
                in(connection).send(all);
            }
        } catch (RowlockException e) {
            throw LockExceptionTranslator.translate(e);
        } catch (SQLException e) {
            throw new SQLErrorCodeSQLExceptionTranslator("PostgreSQL").translate("writes at commit", null, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, key.dataSource());
        }
    }

    /**
     * Looks whether an error that was caught has aborted the transaction: the server would answer COMMIT with a
     * rollback, of which the driver says nothing. It asks the driver, and takes no round trip.
     */
    private static void refuseSilentRollback(Connection connection) {
        if (isAborted(connection)) {
            // Not Spring's UnexpectedRollbackException, for which the transaction manager would not roll back.
            throw new InvalidDataAccessApiUsageException(
                    "A statement of the transaction failed and the work went on, but PostgreSQL had aborted the"
                            + " transaction and would have answered COMMIT with a rollback: nothing of it is stored."
                            + " Let"
                            + " the work throw what its statements throw, or put a savepoint around the statement that"
                            + " may fail (Propagation.NESTED).",
                    firstError(connection));
        }
    }

    /** Then there is no transaction: a statement has borrowed it in that of another DataSource. */
    private static boolean isAutoCommit(Connection connection) {
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            throw new SQLErrorCodeSQLExceptionTranslator("PostgreSQL").translate("writes at commit", null, e);
        }
    }

    /** If a connection is lost, the commit itself reports it. */
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
        if (told == null && TransactionSynchronizationManager.hasResource(key.dataSource())) {
            finish(false);
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

    private void end() {
        if (!ended) {
            ended = true;
            TransactionSynchronizationManager.unbindResourceIfPossible(key);
            ends.forEach(Runnable::run);
        }
    }
}
