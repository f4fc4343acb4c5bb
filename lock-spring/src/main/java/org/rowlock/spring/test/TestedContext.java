package org.rowlock.spring.test;

import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLocks;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The application context of the running test, with its locks and DataSources.
 *
 * @param context the context
 * @param locks the locks of the context
 * @param dataSources the DataSources by the names of their beans. Proxies that join transactions are unwrapped, because
 *     transaction managers bind the target of such a proxy
 */
record TestedContext(ApplicationContext context, RowLocks locks, Map<String, DataSource> dataSources) {
    private static volatile @Nullable TestedContext running;

    static TestedContext of(ApplicationContext context) {
        SpringLocks locks = context.getBeanProvider(SpringLocks.class).getIfAvailable();
        if (locks == null) {
            throw new IllegalStateException(
                    "@RowLockTest finds no row locks in the Spring context of this test. Also annotate the test with"
                            + " @SpringBootTest, or @SpringJUnitConfig with a configuration that has @EnableRowLocks;"
                            + " in a slice such as @DataJpaTest add"
                            + " @ImportAutoConfiguration(RowLockAutoConfiguration.class).");
        }
        Map<String, DataSource> dataSources = new LinkedHashMap<>();
        context.getBeansOfType(DataSource.class).forEach((name, dataSource) -> {
            DataSource target = Pools.bound(dataSource);
            if (dataSources.values().stream().noneMatch(known -> known.equals(target))) {
                dataSources.put(name, target);
            }
        });
        return new TestedContext(context, locks.locks(), dataSources);
    }

    void begin() {
        running = this;
    }

    void end() {
        running = null;
    }

    boolean isOpen() {
        return !(context instanceof ConfigurableApplicationContext closeable) || closeable.isActive();
    }

    /**
     * Returns the context of the running test. Only one test is running, because classes with {@link RowLockTest} run
     * alone. Any thread can call this method, because the service under test does not always run on the thread of the
     * test.
     */
    static TestedContext running() {
        TestedContext found = running;
        if (found == null) {
            throw new IllegalStateException("No test with @RowLockTest is running, so RowLockAssertions has no context."
                    + " Annotate the test class.");
        }
        return found;
    }
}
