package org.rowlock.spring.test;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.internal.call.SpringTransaction;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Assertions about locked keys. Call these methods in a service under test, on any thread. The assertions find the
 * locks that {@link org.rowlock.spring.RowLockTemplate#requireLocked requireLocked} finds, with every strategy. They
 * send nothing to the server. Thread-safe.
 *
 * <pre>{@code
 * @Transactional
 * public void ship(@RowLock("orders") long orderId) {
 *     // in a subclass of the service, or in a test bean that replaces the service
 *     assertLocked("orders", orderId);
 * }
 * }</pre>
 */
public final class RowLockAssertions {
    private RowLockAssertions() {}

    /**
     * Asserts that the transaction of this thread has locked a row.
     *
     * @param table the table, as in {@code @RowLock}
     * @param id the id, as for {@link LockKey#row(String, Object)}; a list of its parts for a composite id
     * @throws AssertionError if the transaction has not locked the row
     */
    public static void assertLocked(String table, Object id) {
        assertLocked(LockKey.row(table, id));
    }

    /**
     * Asserts that the transaction of this thread has locked a key, in any mode.
     *
     * @param key the key
     * @throws AssertionError if the transaction has not locked the key
     */
    public static void assertLocked(LockKey key) {
        String expected = "Expected " + key + " to be locked by this thread's transaction, but ";
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new AssertionError(
                    expected + "the thread " + Thread.currentThread().getName() + " has none.");
        }
        Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
        if (bound.keySet().stream()
                .filter(DataSource.class::isInstance)
                .map(dataSource -> SpringTransaction.find((DataSource) dataSource))
                .filter(Objects::nonNull)
                .allMatch(transaction -> !transaction
                        .notHeld(Set.of(key), RowLockMode.FOR_KEY_SHARE)
                        .isEmpty())) {
            throw new AssertionError(expected + "Rowlock has not locked the key in this transaction.");
        }
    }
}
