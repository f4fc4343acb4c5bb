package org.rowlock.spring;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.spring.LockInstrumentation.Acquisition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Takes locks in the running Spring transaction: on its connection, with its exceptions, within its timeout. Thread-safe.
 *
 * @param locks what the application configured
 */
record SpringLocks(RowLocks locks, RowLockSettings settings, LockInstrumentation instrumentation) {

    LockWait defaultWait() {
        return settings.defaultWait();
    }

    /** Locks all or none. */
    void lock(String what, DataSource dataSource, List<LockKey> keys, RowLockMode mode, LockWait wait) {
        run(what, dataSource, keys, mode, wait, (tx, capped) -> {
            if (keys.size() == 1) {
                return tx.lock(keys.get(0), mode, capped).isLocked();
            }
            return !tx.lockAll(keys, mode, capped).keys().isEmpty();
        });
    }

    /** Runs a call that takes locks. */
    <T> T run(
            String what,
            DataSource dataSource,
            List<LockKey> keys,
            RowLockMode mode,
            @Nullable LockWait wait,
            BiFunction<TransactionLocks, LockWait, T> call) {
        Acquisition acquisition = new Acquisition(keys, mode, locks.strategyOf(keys.get(0)));
        T result = instrumentation.acquire(
                acquisition,
                () -> CurrentTransaction.run(
                        what, dataSource, wait == null ? defaultWait() : wait, (connection, capped) -> {
                            try {
                                return call.apply(locks.in(connection), capped);
                            } catch (LockException e) {
                                throw LockExceptionTranslator.translate(e);
                            }
                        }));
        if (!instrumentation.equals(LockInstrumentation.NONE)) {
            tellWhenReleased(acquisition);
        }
        return result;
    }

    private void tellWhenReleased(Acquisition acquisition) {
        long granted = System.nanoTime();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                instrumentation.released(acquisition, Duration.ofNanos(System.nanoTime() - granted));
            }
        });
    }
}
