package org.rowlock.spring;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRelease;
import org.rowlock.LockResult;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.spring.LockInstrumentation.Acquisition;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What the application configured, as the bean that every {@link RowLock} uses. Take it where there may be no bean of type
 * {@link RowLocks}, and so the defaults hold. Immutable and thread-safe.
 *
 * @param locks the locks, with their strategies and admission queues
 * @param settings what holds for the whole application
 * @param instrumentation is around every acquisition
 */
public record SpringLocks(RowLocks locks, RowLockSettings settings, LockInstrumentation instrumentation) {
    private static final Log LOG = LogFactory.getLog(SpringLocks.class);

    LockWait defaultWait() {
        return settings.defaultWait();
    }

    LockWait waitOf(MethodLocks method) {
        LockWait own = method.lockWait();
        return own == null ? defaultWait() : own;
    }

    /** Locks all or none. */
    void lock(String what, DataSource dataSource, List<LockKey> keys, RowLockMode mode, LockWait wait) {
        // The results themselves: false is what a try that failed returns.
        this.<Object>run(
                what,
                dataSource,
                keys,
                mode,
                wait,
                (tx, capped) -> keys.size() == 1 ? tx.lock(keys.get(0), mode, capped) : tx.lockAll(keys, mode, capped));
    }

    /** Locks all or none, each in its mode. */
    void lock(String what, DataSource dataSource, Map<LockKey, RowLockMode> modes, LockWait wait) {
        List<LockKey> keys = List.copyOf(modes.keySet());
        RowLockMode strongest = Collections.min(modes.values());
        if (keys.size() == 1) {
            lock(what, dataSource, keys, strongest, wait);
        } else {
            run(what, dataSource, keys, strongest, wait, (tx, capped) -> tx.lockAll(modes, capped));
        }
    }

    /**
     * Queues in the JVM.
     *
     * @throws CannotAcquireLockException if the wait is over, or the queue is full
     */
    Turn enter(DataSource dataSource, Map<LockKey, RowLockMode> modes, LockWait wait) {
        List<LockKey> keys = List.copyOf(modes.keySet());
        Acquisition acquisition = new Acquisition(keys, Collections.min(modes.values()), locks.strategyOf(keys.get(0)));
        DataSource database = Routes.current(dataSource);
        Duration bound = settings.admissionTimeout() == null ? Pools.timeoutOf(database) : settings.admissionTimeout();
        LockWait bounded = LockWaits.atMost(wait, bound);
        try {
            return observed(
                    acquisition,
                    instrumentation::queue,
                    () -> LockExceptionTranslator.translating(
                            () -> new Turn(locks.admission().enter(database, modes, bounded))));
        } catch (CannotAcquireLockException e) {
            if (bounded.equals(wait) || !(e.getCause() instanceof LockNotAvailableException)) {
                throw e;
            }
            throw new CannotAcquireLockException(
                    e.getMessage()
                            + " That is the longest to wait in this JVM: rowlock.admission.timeout, by default the"
                            + " connection timeout of the pool.",
                    e.getCause());
        }
    }

    /** Runs a call that takes locks. */
    <T> T run(
            String what,
            DataSource dataSource,
            List<LockKey> keys,
            RowLockMode mode,
            @Nullable LockWait wait,
            BiFunction<TransactionLocks, LockWait, T> call) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException(what + ": the keys are empty; give at least one");
        }
        Acquisition acquisition = new Acquisition(keys, mode, locks.strategyOf(keys.get(0)));
        T result = observed(
                acquisition,
                instrumentation::acquire,
                () -> CurrentTransaction.run(
                        what,
                        dataSource,
                        wait == null ? defaultWait() : wait,
                        (connection, capped) ->
                                LockExceptionTranslator.translating(() -> call.apply(locks.in(connection), capped))));
        if (locks.release() == LockRelease.EARLY) {
            // Even without writes the commit is then Rowlock's, where the transaction manager is.
            PendingWrites.bind(CurrentTransaction.target(dataSource), locks);
        }
        if (!instrumentation.equals(LockInstrumentation.NONE) && isHeld(result)) {
            tellWhenReleased(acquisition);
        }
        return result;
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

    /** Not after a try in vain, nor where a row lock found no row. */
    private static boolean isHeld(@Nullable Object result) {
        return !Boolean.FALSE.equals(result) && !(result instanceof LockResult one && !one.isLocked());
    }

    private void tellWhenReleased(Acquisition acquisition) {
        long granted = System.nanoTime();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                try {
                    instrumentation.released(acquisition, Duration.ofNanos(System.nanoTime() - granted));
                } catch (RuntimeException e) {
                    LOG.warn("An observer of locks threw; the transaction is not affected", e);
                }
            }
        });
    }
}
