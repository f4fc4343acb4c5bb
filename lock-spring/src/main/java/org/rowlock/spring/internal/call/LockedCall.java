package org.rowlock.spring.internal.call;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockResult;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.LockExceptionTranslator;
import org.rowlock.spring.LockObservationContext;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.annotation.LockWaits;
import org.rowlock.spring.internal.jpa.SessionCaches;
import org.rowlock.spring.internal.pool.Pools;
import org.rowlock.spring.internal.pool.Routes;
import org.springframework.core.NestedRuntimeException;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * One call that locks. The annotation and the template both create such a call, so the rules are the same for both. The
 * transaction's timeout limits the wait for a lock. A lock is acquired on the transaction's connection, and is observed
 * until the transaction ends. Entities that were read before the lock are read again. A call that queued in the JVM
 * leaves the queue when the transaction ends, before the application's own end-of-transaction listeners run. An
 * instance belongs to one thread.
 */
public final class LockedCall {
    private final SpringLocks spring;
    private final LockAccess locks;
    private final String what;
    private final DataSource dataSource;
    private final LockWait wait;

    /** The entries of this call in the queue; null before admission, and again after the first lock. */
    private @Nullable KeyEntries turn;

    /**
     * The time at which the call began to queue; null if it did not queue. The time in the queue shortens only the wait
     * for the first lock, because later locks of the call do not queue.
     */
    private @Nullable Long queuedSince;

    public interface Taking<T> {
        /**
         * Acquires the locks of a request.
         *
         * @param entity JPA's statement that locks the only row of the request and reads its entity; null if JPA would
         *     not lock the row as Rowlock does
         */
        T take(Connection connection, RequestParts request, @Nullable RowStatement entity) throws SQLException;
    }

    public interface Body<T extends @Nullable Object, X extends Throwable> {
        T run() throws X;
    }

    /**
     * Creates a call.
     *
     * @param what the description for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @param wait the wait; null for the configured default
     */
    public LockedCall(SpringLocks spring, String what, DataSource dataSource, @Nullable LockWait wait) {
        this.spring = spring;
        this.locks = LockAccess.of(spring.locks());
        this.what = what;
        this.dataSource = dataSource;
        this.wait = wait == null ? LockWaits.of(spring.settings().defaultWait()) : wait;
    }

    /**
     * Queues in the JVM and then runs the body, which begins a transaction. The call leaves the queue when that
     * transaction has ended.
     *
     * @param transaction the transaction that the body begins; its timeout also limits the time in the queue
     * @param manager the transaction's manager, whose default timeout applies if the transaction has none
     * @throws CannotAcquireLockException if the wait is over, or the queue is full
     */
    public <T extends @Nullable Object, X extends Throwable> T queued(
            RequestParts request,
            TransactionDefinition transaction,
            @Nullable TransactionManager manager,
            Body<T, X> body)
            throws X {
        int own = transaction.getTimeout();
        int timeout = own < 1 && manager instanceof AbstractPlatformTransactionManager other
                ? other.getDefaultTimeout()
                : own;
        queuedSince = System.nanoTime();
        try (var entered = enter(request, timeout < 1 ? wait : LockWaits.atMost(wait, Duration.ofSeconds(timeout)))) {
            turn = entered;
            try {
                return body.run();
            } catch (Throwable e) {
                if (turn != null) {
                    // If no connection was obtained, the queue admits all waiting callers at the same time, because
                    // none of these callers can lock either.
                    entered.connected(!isWithoutConnection(e));
                }
                throw e;
            }
        }
    }

    private static boolean isWithoutConnection(Throwable failure) {
        // If connections are lazy, the pool throws an SQLTransientConnectionException at the first statement.
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(each -> each instanceof CannotCreateTransactionException
                        || each instanceof SQLTransientConnectionException);
    }

    private KeyEntries enter(RequestParts request, LockWait longest) {
        DataSource database = Routes.current(dataSource);
        Duration configured = spring.settings().admissionTimeout();
        LockWait own =
                configured == null ? LockWaits.atMost(longest, Pools.timeoutOf(database)) : LockWait.atMost(configured);
        boolean isOwn = longest.compareTo(own) > 0;
        LockWait bound = isOwn ? own : longest;
        String why = isOwn
                ? " This is the longest wait in this JVM: rowlock.admission.timeout, by default the connection timeout"
                        + " of the pool."
                : "";
        return LockObservation.around(
                spring.observations(),
                context(true, request),
                () -> explained(() -> why, "enter", () -> locks.calls().admit(database, request.waiting(bound), null)));
    }

    /**
     * Acquires locks in the transaction of this thread.
     *
     * @param sql the SQL, or the name of the operation, for messages
     * @param required the keys of rows that must exist. If such a row is absent, the call throws an
     *     EmptyResultDataAccessException; with ADVISORY, absent rows are not detected
     * @param call acquires the locks, with a request whose wait is reduced by the time in the queue and limited by the
     *     transaction's timeout
     */
    public <T> T take(RequestParts request, String sql, Supplier<Set<LockKey>> required, Taking<T> call) {
        LockObservationContext context = context(false, request);
        return LockObservation.around(
                spring.observations(), context, () -> inTransaction(context, request, sql, required, call));
    }

    public LockResult lock(RequestParts request, Supplier<Set<LockKey>> required) {
        return take(request, "lock", required, locks::lock);
    }

    private <T> T inTransaction(
            @Nullable LockObservationContext context,
            RequestParts request,
            String sql,
            Supplier<Set<LockKey>> required,
            Taking<T> call) {
        SpringTransaction transaction = SpringTransaction.current(what, dataSource, spring.locks());
        LockWait left = queuedSince == null ? wait : LockWaits.remaining(wait, queuedSince);
        queuedSince = null;
        RequestParts capped = request.waiting(transaction.capped(what, left));
        // An entity whose row this transaction holds only FOR KEY SHARE is read again, because other transactions can
        // change such a row.
        List<LockKey> before = transaction.notHeld(request.keys(), RowLockMode.FOR_SHARE);
        SessionCaches caches = SessionCaches.of(
                what,
                dataSource,
                before,
                table -> transaction.on(connection -> locks.tables().check(connection, table)),
                table -> transaction.on(connection -> locks.tables().spellings(connection, table, before)));
        caches.refuse();
        caches.passTheCacheBy(transaction::atEnd);
        Supplier<String> why = () -> capped.lockWait(wait).equals(wait)
                ? ""
                : wait.equals(LockWait.FOREVER)
                        ? " The timeout of the transaction ended the wait."
                        : " The wait was " + wait + ", minus the time in the queue of the JVM, and limited by the rest"
                                + " of the transaction's timeout.";
        T result = transaction.on(connection -> {
            SpringTransaction.refuseSuspended(what, Pools.bound(dataSource), connection, request, locks.tables());
            RowStatement entity = spring.settings().lockEntities() ? caches.entityLock(capped, connection) : null;
            return explained(why, sql, () -> call.take(connection, capped, entity));
        });
        if (turn != null) {
            turn.connected(true);
            transaction.atEnd(turn::close);
            turn = null;
        }
        if (locks.release() == LockRelease.EARLY) {
            // With early release, Rowlock's transaction manager sends the COMMIT even if there are no writes.
            transaction.committedByRowlock = true;
        }
        LockResult shown = result instanceof LockResult tried ? tried : null;
        if (shown != null && shown.state() == LockResult.State.TAKEN) {
            return result;
        }
        // Entities are read again even if their rows do not exist.
        caches.renew();
        List<LockKey> absent = shown == null ? List.of() : shown.absentRows();
        Set<LockKey> notHeld = shown == null || shown.isHeld() ? Set.of() : new HashSet<>(absent);
        for (LockKey key : request.keys()) {
            if (!notHeld.contains(key)) {
                transaction.holds(key, request.modeOf(key));
            }
        }
        if (!notHeld.containsAll(request.keys())) {
            LockObservation.untilReleased(spring.observations(), context, transaction);
        }
        if (!absent.isEmpty()) {
            refuseAbsent(absent, request.keys().size(), required.get());
        }
        return result;
    }

    private void refuseAbsent(List<LockKey> missing, int keys, Set<LockKey> required) {
        List<LockKey> absent = missing.stream().filter(required::contains).toList();
        if (!absent.isEmpty()) {
            String rows = keys == 1 ? "the row %s does" : absent.size() + " of the rows, such as %s, do";
            String why = what + ": " + rows.formatted(absent.get(0))
                    + " not exist, so there is nothing to lock. Call the method with ids of rows, and"
                    + " flush a new entity first; if a row may be missing, set required = false.";
            throw LockExceptionTranslator.translate(new RowAbsentException(why, null, null));
        }
    }

    /** Adds an explanation to the message of a timeout, if the wait was shorter than requested. */
    private <T> T explained(Supplier<String> why, String sql, Body<T, SQLException> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw SpringTransaction.translated(what, sql, e);
        } catch (RowlockException e) {
            NestedRuntimeException translated = LockExceptionTranslator.translate(e);
            String added = e instanceof LockNotAvailableException ? why.get() : "";
            throw added.isEmpty() ? translated : new CannotAcquireLockException(translated.getMessage() + added, e);
        }
    }

    /** Claims rows. The keys are known only after the rows are locked. */
    public <T> List<T> claim(ClaimParts claim, RowMapper<T> mapper) {
        SpringTransaction transaction = SpringTransaction.current(what, dataSource, spring.locks());
        String table = LockKey.row(claim.table(), 0).table();
        SessionCaches ofTable = SessionCaches.ofTable(what, dataSource, table);
        ofTable.refuse();
        List<String> columns = ofTable.idColumnsOfEntities();
        Set<LockKey> claimed = new HashSet<>();
        List<T> result = transaction.on(connection -> explained(
                () -> "",
                "claim",
                () -> spring.locks().in(connection).claim(claim, row -> {
                    SessionCaches.addKey(row, table, columns, claimed);
                    return mapper.map(row);
                })));
        // The mapper may have opened a session of Hibernate or MyBatis, so the list of sessions is read again.
        SessionCaches ofRows = claimed.size() < result.size()
                ? SessionCaches.ofTable(what, dataSource, table)
                : SessionCaches.of(
                        what,
                        dataSource,
                        transaction.notHeld(claimed, RowLockMode.FOR_SHARE),
                        any -> columns,
                        any -> Set.of());
        ofRows.refuse();
        ofRows.passTheCacheBy(transaction::atEnd);
        ofRows.renew();
        // Composite ids are left out, because the mapping may have the columns in a different order from the keys.
        claimed.stream()
                .filter(key -> columns.size() == 1)
                .forEach(key -> transaction.holds(key, RowLockMode.FOR_UPDATE));
        return result;
    }

    /**
     * Locks, writes and commits in one flush, outside of Spring's transactions.
     *
     * @param manager the transaction manager, through which Hibernate's mapping of the tables is found
     * @throws IllegalTransactionStateException if a transaction is running, because a rollback of that transaction
     *     would not undo the writes
     */
    public void execute(RequestParts request, CommitWrites writes, @Nullable TransactionManager manager) {
        SessionCaches.refuseParts(what, manager, request.keys());
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException(
                    what + ": execute commits its own transaction, but another transaction is running. In that"
                            + " transaction call lock(..), and add the writes to atCommit().");
        }
        // A scope without a transaction (NOT_SUPPORTED) may have suspended a transaction that holds one of the keys.
        SpringTransaction.refuseSuspended(what, Pools.bound(dataSource), null, request, locks.tables());
        LockObservation.around(
                spring.observations(),
                context(false, request),
                () -> explained(() -> "", "execute", () -> {
                    locks.on(Routes.current(dataSource))
                            .lock(request.waiting(wait))
                            .execute(writes);
                    return request;
                }));
    }

    private @Nullable LockObservationContext context(boolean queue, RequestParts request) {
        return spring.observations().isNoop()
                ? null
                : new LockObservationContext(
                        queue,
                        request.keys(),
                        request.mode(),
                        locks.tables().strategyOf(request.keys().get(0)));
    }
}
