package org.rowlock.spring;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRelease;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockWait;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.spring.LockInstrumentation.Acquisition;
import org.springframework.dao.CannotAcquireLockException;

/**
 * One call that locks. Every entrance makes one, annotation and template alike, so that what holds for locks in Spring
 * holds for all: they wait no longer than the transaction has, are taken on its connection, are watched to its end, and
 * what was loaded before them is not taken for what is there. Belongs to one thread.
 */
final class LockedCall {
    private static final Log LOG = LogFactory.getLog(LockedCall.class);

    private final SpringLocks spring;
    private final String what;
    private final DataSource dataSource;
    private final LockWait wait;

    private @Nullable Turn turn;

    /** The wait spans the queue and the server. Once: a retry within the transaction has not queued. */
    private @Nullable Long queuedSince;

    /** What runs while the call has its turn. */
    interface Body<T extends @Nullable Object, X extends Throwable> {
        T run() throws X;
    }

    /**
     * A call.
     *
     * @param what for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @param wait null for the configured default
     */
    LockedCall(SpringLocks spring, String what, DataSource dataSource, @Nullable LockWait wait) {
        this.spring = spring;
        this.what = what;
        this.dataSource = dataSource;
        this.wait = wait == null ? spring.settings().defaultWait() : wait;
    }

    /**
     * Queues in the JVM, in front of the transaction that the body begins. The turn is given back when that has ended.
     *
     * @param timeout that of the transaction, as a caller that gives it 5 seconds does not expect to wait in front for
     *     longer
     * @throws CannotAcquireLockException if the wait is over, or the queue is full
     */
    <T extends @Nullable Object, X extends Throwable> T queued(
            LockRequest request, @Nullable Duration timeout, Body<T, X> body) throws X {
        queuedSince = System.nanoTime();
        try (Turn entered = enter(request, timeout == null ? wait : LockWaits.atMost(wait, timeout))) {
            turn = entered;
            try {
                return body.run();
            } catch (Throwable e) {
                entered.failed(e);
                throw e;
            }
        }
    }

    private Turn enter(LockRequest request, LockWait longest) {
        DataSource database = Routes.current(dataSource);
        Duration configured = spring.settings().admissionTimeout();
        LockWait bounded = LockWaits.atMost(longest, configured == null ? Pools.timeoutOf(database) : configured);
        try {
            return observed(
                    acquisition(request),
                    spring.instrumentation()::queue,
                    () -> LockExceptionTranslator.translating(
                            () -> new Turn(spring.locks().admission().enter(database, request.waiting(bounded)))));
        } catch (CannotAcquireLockException e) {
            if (bounded.equals(longest) || !(e.getCause() instanceof LockNotAvailableException)) {
                throw e;
            }
            throw new CannotAcquireLockException(
                    e.getMessage()
                            + " That is the longest to wait in this JVM: rowlock.admission.timeout, by default the"
                            + " connection timeout of the pool.",
                    e.getCause());
        }
    }

    /** Locks all or none, each in its mode. */
    void lock(LockRequest request) {
        LockResult unused = take(request, TransactionLocks::lock, LockResult::isLocked);
    }

    /**
     * Takes locks in the running transaction.
     *
     * @param call is given the request with its wait, capped by what remains of it and of the transaction
     * @param isHeld whether the locks are held: not after a try in vain, nor if a row lock found no row
     */
    <T> T take(LockRequest request, BiFunction<TransactionLocks, LockRequest, T> call, Predicate<T> isHeld) {
        Acquisition acquisition = acquisition(request);
        T result = observed(
                acquisition,
                spring.instrumentation()::acquire,
                () -> inTransaction(acquisition, request, call, isHeld));
        if (turn != null) {
            turn.connected();
        }
        return result;
    }

    private <T> T inTransaction(
            Acquisition acquisition,
            LockRequest request,
            BiFunction<TransactionLocks, LockRequest, T> call,
            Predicate<T> isHeld) {
        LockedTransaction transaction = LockedTransaction.current(what, dataSource);
        LockWait left = queuedSince == null ? wait : LockWaits.remaining(wait, queuedSince);
        queuedSince = null;
        LockRequest capped = request.waiting(transaction.capped(what, left));
        Set<LockKey> keys = new LinkedHashSet<>(request.keys());
        RowLocks locks = spring.locks();
        SessionCaches caches = new SessionCaches(what, dataSource, transaction.notHeld(keys));
        caches.refuseChanged();
        T result = transaction.on(
                connection -> LockExceptionTranslator.translating(() -> call.apply(locks.in(connection), capped)));
        if (locks.release() == LockRelease.EARLY) {
            // Even without writes the commit is then Rowlock's, where the transaction manager is.
            transaction.commitBy(locks);
        }
        if (isHeld.test(result)) {
            caches.renew(transaction);
            transaction.holds(keys);
            tellWhenReleased(transaction, acquisition);
        }
        return result;
    }

    private Acquisition acquisition(LockRequest request) {
        return new Acquisition(
                request.keys(),
                request.mode(),
                spring.locks().strategyOf(request.keys().get(0)));
    }

    /** Whatever the observer does, the lock is taken once, and the caller gets what came of it. */
    private static <T> T observed(
            Acquisition acquisition, BiFunction<Acquisition, Supplier<T>, T> observer, Supplier<T> lock) {
        Attempt<T> attempt = new Attempt<>(lock);
        try {
            T unused = observer.apply(acquisition, attempt);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            if (!attempt.failedWith(e)) {
                LOG.warn("An observer of locks threw; the lock is not affected", e);
            }
        }
        return attempt.get();
    }

    private void tellWhenReleased(LockedTransaction transaction, Acquisition acquisition) {
        if (spring.instrumentation().equals(LockInstrumentation.NONE)) {
            return;
        }
        long granted = System.nanoTime();
        transaction.atEnd(() -> {
            try {
                spring.instrumentation().released(acquisition, Duration.ofNanos(System.nanoTime() - granted));
            } catch (RuntimeException e) {
                LOG.warn("An observer of locks threw; the transaction is not affected", e);
            }
        });
    }
}
