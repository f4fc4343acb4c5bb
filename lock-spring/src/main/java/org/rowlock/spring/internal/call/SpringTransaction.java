package org.rowlock.spring.internal.call;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.LockExceptionTranslator;
import org.rowlock.spring.internal.annotation.LockWaits;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A running Spring transaction of one DataSource, with its connection, locks, unsent writes, and actions at its end.
 * The object is the first synchronization to be suspended, resumed and completed. A transaction has such an object from
 * its beginning if its manager reports to Rowlock, otherwise from its first lock. An instance belongs to one thread.
 */
public final class SpringTransaction extends SavepointParts {
    /** Identifies the server, the database and the table of a key. */
    private static final String PLACE = "select pg_catalog.concat_ws(' ', extract(epoch from"
            + " pg_catalog.pg_postmaster_start_time()), pg_catalog.current_database(),"
            + " cast(pg_catalog.to_regclass(?) as pg_catalog.oid))";

    /**
     * The connection holders of ended transactions. Spring keeps a connection bound until the last callback, so code in
     * a callback seems to run in the transaction.
     */
    private static final ThreadLocal<Map<Object, Boolean>> ENDED = ThreadLocal.withInitial(WeakHashMap::new);

    /** The execution that the transaction manager reported; null if the manager reports no executions. */
    private final @Nullable TransactionExecution execution;

    /**
     * The DataSource in which the transaction locks; null if its manager does not expose a DataSource. Such a manager
     * can commit any DataSource that has no other manager.
     */
    private final @Nullable DataSource dataSource;

    private @Nullable RowLocks locks;
    private boolean atItsCommit;
    private boolean ended;

    /** The connection of the transaction; null before the first lock. */
    private @Nullable Connection own;

    /** Whether Rowlock sends the COMMIT. This applies only to a RowLockTransactionManager. */
    boolean committedByRowlock;

    /** The suspended transaction that has the connection, if a transaction of another manager runs within it. */
    private @Nullable SpringTransaction behind;

    private final List<Runnable> ends = new ArrayList<>(0);

    /** The actions that run after the end of the transaction, unless the transaction is certainly committed. */
    List<? extends Runnable> failures = List.of();

    /** The holder of the connection, if the transaction manager reported the execution and has bound a connection. */
    private final @Nullable Object holder;

    SpringTransaction(@Nullable TransactionExecution execution, @Nullable DataSource dataSource) {
        this.execution = execution;
        this.dataSource = dataSource;
        this.holder = execution == null || dataSource == null
                ? null
                : TransactionSynchronizationManager.getResource(dataSource);
        if (holder != null) {
            // The application may use one holder for several transactions.
            ENDED.get().remove(holder);
        }
    }

    /**
     * Returns the transaction of the thread.
     *
     * @param what the description for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @throws InvalidDataAccessApiUsageException if no transaction of this DataSource is running, or the transaction is
     *     read-only. The exception is no TransactionException, because Spring does not roll back if a beforeCommit
     *     callback throws one
     */
    public static SpringTransaction current(String what, DataSource dataSource, RowLocks locks) {
        DataSource bound = Pools.bound(dataSource);
        if (ENDED.get().containsKey(holder(what, bound))) {
            throw ended(what);
        }
        SpringTransaction current = Objects.requireNonNullElseGet(find(bound), () -> begin(bound));
        current.locks = locks;
        TransactionExecution behind = current.behind == null ? null : current.behind.execution;
        if (behind == null ? TransactionSynchronizationManager.isCurrentTransactionReadOnly() : behind.isReadOnly()) {
            throw new InvalidDataAccessApiUsageException(
                    what + ": the transaction is read-only, and PostgreSQL refuses FOR UPDATE there too. Remove"
                            + " readOnly = true where the transaction begins.");
        }
        if (current.atItsCommit) {
            throw ended(what);
        }
        return current;
    }

    /**
     * Rejects a lock that a suspended transaction of the same thread holds. The suspended transaction can continue only
     * after the call, so the wait would never end.
     *
     * @param dataSource the object to which transaction managers bind connections
     * @param connection the connection of the call; null if it is not known yet
     */
    static void refuseSuspended(
            String what,
            DataSource dataSource,
            @Nullable Connection connection,
            RequestParts request,
            KnownTables tables) {
        for (Object bound : TransactionSynchronizationManager.getResourceMap().keySet()) {
            if (bound instanceof SpringTransaction suspended
                    && !suspended.ended
                    && !Objects.equals(suspended.own, connection)
                    && dataSource.equals(suspended.dataSource)) {
                for (LockKey key : request.keys()) {
                    RowLockMode weakest = weakestInTheWay(request.modeOf(key), tables.strategyOf(key));
                    if (suspended.notHeld(Set.of(key), weakest).isEmpty() && suspended.meansTheSame(key, connection)) {
                        throw new InvalidDataAccessApiUsageException(what + ": a suspended transaction of this thread"
                                + " (REQUIRES_NEW) holds the row, and ends only after this transaction, so the wait"
                                + " would never end. Lock the row in only one of the two transactions, or run both in"
                                + " one transaction.");
                    }
                }
            }
        }
    }

    /**
     * Whether the key means the same row on both connections: of this suspended transaction, and the given one. A
     * DataSource may route to several databases, or use another search_path for each tenant.
     */
    private boolean meansTheSame(LockKey key, @Nullable Connection other) {
        try {
            return own == null || other == null || place(key, own).equals(place(key, other));
        } catch (SQLException e) {
            return true;
        }
    }

    private static String place(LockKey key, Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PLACE)) {
            statement.setString(1, key instanceof LockKey.Row row ? row.table() : null);
            ResultSet place = statement.executeQuery();
            place.next();
            return place.getString(1);
        }
    }

    /** Returns the weakest mode that conflicts with the given mode. An advisory lock is either exclusive or shared. */
    private static RowLockMode weakestInTheWay(RowLockMode mode, LockStrategy strategy) {
        boolean isRow = strategy == LockStrategy.ROW;
        return switch (mode) {
            case FOR_UPDATE -> RowLockMode.FOR_KEY_SHARE;
            case FOR_NO_KEY_UPDATE -> isRow ? RowLockMode.FOR_SHARE : RowLockMode.FOR_KEY_SHARE;
            case FOR_SHARE -> RowLockMode.FOR_NO_KEY_UPDATE;
            case FOR_KEY_SHARE -> isRow ? RowLockMode.FOR_UPDATE : RowLockMode.FOR_NO_KEY_UPDATE;
        };
    }

    /**
     * Returns the running transaction of a DataSource, or null. Rowlock learns of a transaction from its manager or its
     * first lock. The DataSource must be the object to which transaction managers bind connections.
     *
     * @param dataSource null for the transaction of a manager that exposes no DataSource
     */
    public static @Nullable SpringTransaction find(@Nullable DataSource dataSource) {
        SpringTransaction found = null;
        // The last transaction in the list is the innermost transaction.
        for (SpringTransaction each : all()) {
            // An object that has ended shows that its transaction has ended, too, unless it was within another one.
            boolean isOver = each.execution == null ? each.ended && each.behind != null : each.execution.isCompleted();
            found = !isOver && Objects.equals(dataSource, each.dataSource) ? each : found;
        }
        return found;
    }

    /** Adds the locks that the transaction behind this object held when the other transaction began. */
    @Override
    public List<LockKey> notHeld(Collection<? extends LockKey> keys, RowLockMode weakest) {
        List<LockKey> notHeld = super.notHeld(keys, weakest);
        return behind == null ? notHeld : behind.notHeld(notHeld, weakest);
    }

    /** Creates and registers the transaction of a DataSource, if its transaction manager has not reported one. */
    private static SpringTransaction begin(DataSource dataSource) {
        SpringTransaction ofAny = find(null);
        SpringTransaction begun = new SpringTransaction(ofAny == null ? null : ofAny.execution, dataSource);
        begun.atItsCommit = ofAny != null && ofAny.atItsCommit;
        Object holder = TransactionSynchronizationManager.getResource(dataSource);
        for (Object each : TransactionSynchronizationManager.getResourceMap().keySet()) {
            if (each instanceof SpringTransaction behind && behind.holder != null && behind.holder.equals(holder)) {
                begun.behind = behind;
                begun.atItsCommit |= behind.atItsCommit;
            }
        }
        TransactionSynchronizationManager.registerSynchronization(begun);
        if (begun.execution == null) {
            TransactionSynchronizationManager.registerSynchronization(begun.new LastCheck());
        }
        return begun;
    }

    static List<SpringTransaction> of(TransactionExecution execution) {
        List<SpringTransaction> all = all();
        all.removeIf(each -> !execution.equals(each.execution));
        return all;
    }

    private static List<SpringTransaction> all() {
        List<SpringTransaction> all = new ArrayList<>(1);
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof SpringTransaction transaction) {
                    all.add(transaction);
                }
            }
        }
        return all;
    }

    private static ConnectionHolder holder(String what, DataSource dataSource) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new InvalidDataAccessApiUsageException(
                    what + ": there is no transaction, and without one the lock would be released at once. Add"
                            + " @Transactional to the method or a caller (without Spring Boot also"
                            + " @EnableTransactionManagement); a call within the same object bypasses the proxy and"
                            + " begins no transaction.");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw ended(what);
        }
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder) {
            return holder;
        }
        throw new InvalidDataAccessApiUsageException(what + ": the running transaction is not one of " + dataSource
                + ". Name the transaction manager that belongs to the DataSource (@Transactional(\"bean name\")); with"
                + " JPA, the JpaTransactionManager must know the DataSource. JTA is not supported.");
    }

    private static InvalidDataAccessApiUsageException ended(String what) {
        return new InvalidDataAccessApiUsageException(
                what + ": the transaction of this thread has ended, or sends its COMMIT now: this is its AFTER_COMMIT,"
                        + " AFTER_ROLLBACK or AFTER_COMPLETION phase, or its last flush. Begin a new transaction:"
                        + " @Transactional(propagation = Propagation.REQUIRES_NEW).");
    }

    /** Limits a wait to the rest of the transaction's timeout. Throws an exception if this timeout has expired. */
    LockWait capped(String what, LockWait wait) {
        ConnectionHolder holder = holder(what, database());
        try {
            return holder.hasTimeout()
                    ? LockWaits.atMost(wait, Duration.ofMillis(Math.max(1, holder.getTimeToLiveInMillis())))
                    : wait;
        } catch (TransactionTimedOutException e) {
            throw new QueryTimeoutException(
                    what + ": the timeout of the transaction is over, so nothing more is locked. Set a longer timeout,"
                            + " or do less work in the transaction.",
                    e);
        }
    }

    /** Runs a callback on the transaction's own connection, and translates its exceptions into Spring's exceptions. */
    <T> T on(ConnectionCallback<T> call) {
        Connection connection = DataSourceUtils.getConnection(database());
        own = connection;
        try {
            return Objects.requireNonNull(call.doInConnection(connection));
        } catch (RowlockException e) {
            throw LockExceptionTranslator.translate(e);
        } catch (SQLException e) {
            throw translated("writes at commit", null, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, database());
        }
    }

    /** Translates an error of the server. Spring's translator returns null for errors that a trigger raises (P0001). */
    static DataAccessException translated(String what, @Nullable String sql, SQLException e) {
        DataAccessException known = new SQLErrorCodeSQLExceptionTranslator("PostgreSQL").translate(what, sql, e);
        return known == null ? new UncategorizedSQLException(what, sql, e) : known;
    }

    /** Returns the DataSource. It is not null in a transaction that locks. */
    private DataSource database() {
        return Objects.requireNonNull(dataSource);
    }

    /** Registers an action for the end of the transaction, before other synchronizations are notified of the end. */
    void atEnd(Runnable end) {
        ends.add(end);
    }

    /** Returns the writes that the transaction sends at its end. */
    public CommitWrites writes(String what) {
        // A connection in autocommit has no transaction. Such a connection is bound if a statement borrows the
        // connection during a transaction of another DataSource.
        if (execution == null || this.<Boolean>on(Connection::getAutoCommit)) {
            throw new InvalidDataAccessApiUsageException(what + ": the running transaction is not one of " + dataSource
                    + ", or its manager does not report its commit to Rowlock, so the writes would not be sent. Make"
                    + " the manager of this DataSource a bean, or give it to the RowLockTemplate, and begin the"
                    + " transaction with it; it must be one of Spring's own (AbstractPlatformTransactionManager).");
        }
        committedByRowlock = true;
        return lastWrites();
    }

    /** Sends the writes and the COMMIT in one flush. Returns false, and sends nothing, if Spring sends the COMMIT. */
    public boolean commit() {
        return committedByRowlock
                && on(connection -> {
                    RowLocks own = Objects.requireNonNull(locks);
                    own.in(connection).commit(allWrites(own));
                    return true;
                });
    }

    /** Runs the last steps before the COMMIT, unless Spring reports a rollback. If a step fails, Spring rolls back. */
    void finish(boolean sends) {
        boolean reported = execution instanceof DefaultTransactionStatus status && status.isGlobalRollbackOnly();
        if (locks != null && (committedByRowlock || !reported)) {
            send(sends ? allWrites(locks) : new CommitWrites());
        }
        atItsCommit = true;
    }

    /**
     * Sends the writes. Even if there are no writes, this method checks that no error has aborted the transaction. The
     * application may have caught such an error. The server then answers COMMIT with a rollback, which the driver may
     * not report.
     */
    private void send(CommitWrites writes) {
        Object unused = on(connection -> {
            LockAccess.of(Objects.requireNonNull(locks)).send(connection, writes);
            return writes;
        });
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    /** The last synchronization before the commit, if the manager reports no execution. */
    private final class LastCheck implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            if (TransactionSynchronizationManager.getResource(database()) instanceof ConnectionHolder bound
                    && !bound.isRollbackOnly()) {
                send(new CommitWrites());
            }
        }
    }

    /** Binds the suspended transaction to the thread, because it may hold locks. */
    @Override
    public void suspend() {
        TransactionSynchronizationManager.bindResource(this, this);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.unbindResourceIfPossible(this);
    }

    @Override
    public void afterCommit() {
        end();
    }

    /** The transaction may still be suspended, if another synchronization threw an exception while it was resumed. */
    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(this);
        end();
        if (status != STATUS_COMMITTED) {
            failures.forEach(Runnable::run);
        }
    }

    void end() {
        if (!ended) {
            ended = true;
            atItsCommit = true;
            if (holder != null) {
                ENDED.get().put(holder, true);
            }
            ends.forEach(Runnable::run);
        }
    }
}
