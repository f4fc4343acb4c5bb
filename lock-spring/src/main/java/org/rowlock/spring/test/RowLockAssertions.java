package org.rowlock.spring.test;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Assertions about locked keys. Call these methods in a service under test or in the test itself, on any thread, while
 * a test with a Spring context runs. Tests that run in parallel must have the same context. The assertions work for
 * every strategy: the server lists advisory locks, and the assertions find row locks by trying to acquire the locks.
 * The assertions do not change which locks are held. Thread-safe.
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
     * Asserts that the transaction of this thread has locked a key, in any mode. With strategy ROW the check needs a
     * second connection, and fails if several transactions share the lock.
     *
     * @param key the key
     * @throws AssertionError if the transaction has not locked the key
     */
    public static void assertLocked(LockKey key) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new AssertionError("Expected " + key + " to be locked by this thread's transaction, but the thread "
                    + Thread.currentThread().getName() + " has none.");
        }
        RowLocks locks = locks();
        List<String> answers = new ArrayList<>();
        for (DataSource dataSource : bound()) {
            LockProbe.Answer answer = new LockProbe(locks, dataSource, key).ask(true);
            if (answer.isHeld()) {
                return;
            }
            answers.add(answer.text());
        }
        throw new AssertionError("Expected " + key + " to be locked by this thread's transaction, but "
                + (answers.isEmpty()
                        ? "it has no JDBC connection; with JPA, the JpaTransactionManager has to know the DataSource."
                        : String.join("; ", answers) + "."));
    }

    /**
     * Asserts that no transaction has locked a row.
     *
     * @param table the table, as in {@code @RowLock}
     * @param id the id, as for {@link LockKey#row(String, Object)}; a list of its parts for a composite id
     * @throws AssertionError if a transaction has locked the row
     */
    public static void assertNotLocked(String table, Object id) {
        assertNotLocked(LockKey.row(table, id));
    }

    /**
     * Asserts that no transaction has locked a key. The check uses the DataSource of this thread's transaction. Without
     * a transaction, the check uses the only DataSource of the test's context.
     *
     * @param key the key
     * @throws AssertionError if a transaction has locked the key
     * @throws IllegalStateException if the thread has transactions on several DataSources, or has none and the context
     *     does not have exactly one DataSource
     */
    public static void assertNotLocked(LockKey key) {
        List<DataSource> bound = bound();
        Map<String, DataSource> all = dataSources();
        Collection<DataSource> asked = bound.isEmpty() ? all.values() : bound;
        if (asked.size() != 1) {
            throw new IllegalStateException("There are several DataSources (" + String.join(", ", all.keySet())
                    + "), or none: name the intended DataSource with assertNotLocked(dataSource, key).");
        }
        assertNotLocked(asked.iterator().next(), key);
    }

    /**
     * Asserts that no transaction has locked a key in one of several databases.
     *
     * @param dataSource the database
     * @param key the key
     * @throws AssertionError if a transaction has locked the key
     */
    public static void assertNotLocked(DataSource dataSource, LockKey key) {
        LockProbe.Answer answer = new LockProbe(locks(), dataSource, key).ask(false);
        if (answer.isHeld()) {
            throw new AssertionError("Expected " + key + " not to be locked, but " + answer.text() + ".");
        }
    }

    private static RowLocks locks() {
        SpringLocks locks =
                RowLockTestListener.running().getBeanProvider(SpringLocks.class).getIfAvailable();
        if (locks == null) {
            throw new IllegalStateException(
                    "There are no row locks in the Spring context of this test. Annotate the test with @SpringBootTest,"
                            + " or with @SpringJUnitConfig with a configuration that has @EnableRowLocks; in a slice"
                            + " such as @DataJpaTest add @ImportAutoConfiguration(RowLockAutoConfiguration.class).");
        }
        return locks.locks();
    }

    /**
     * Returns the DataSources by the names of their beans. Proxies that join transactions are unwrapped, because
     * transaction managers bind the target of such a proxy.
     */
    private static Map<String, DataSource> dataSources() {
        Map<String, DataSource> dataSources = new LinkedHashMap<>();
        RowLockTestListener.running().getBeansOfType(DataSource.class).forEach((name, dataSource) -> {
            DataSource target = Pools.bound(dataSource);
            if (!dataSources.containsValue(target)) {
                dataSources.put(name, target);
            }
        });
        return dataSources;
    }

    private static List<DataSource> bound() {
        return TransactionSynchronizationManager.getResourceMap().entrySet().stream()
                .filter(each -> each.getValue() instanceof ConnectionHolder)
                .map(Map.Entry::getKey)
                .filter(DataSource.class::isInstance)
                .map(DataSource.class::cast)
                .toList();
    }
}
