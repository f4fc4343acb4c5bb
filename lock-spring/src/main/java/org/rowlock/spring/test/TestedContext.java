package org.rowlock.spring.test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.rowlock.RowLocks;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What a running test's context locks with. Those of the tests that run now can be found from any thread, as a service
 * under test may serve a request on another one.
 *
 * @param context the context
 * @param locks its locks
 * @param dataSources by the name of their beans; what transactions bind, so without proxies that join them
 */
record TestedContext(ApplicationContext context, RowLocks locks, Map<String, DataSource> dataSources) {
    private static final List<TestedContext> RUNNING = new CopyOnWriteArrayList<>();

    static TestedContext of(ApplicationContext context) {
        SpringLocks locks = context.getBeanProvider(SpringLocks.class).getIfAvailable();
        if (locks == null) {
            throw new IllegalStateException(
                    "@RowLockTest finds no row locks in the Spring context of this test. Beside it"
                            + " there has to be @SpringBootTest, or @SpringJUnitConfig with a configuration that has"
                            + " @EnableRowLocks; in a slice such as @DataJpaTest add"
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
        RUNNING.add(this);
    }

    void end() {
        RUNNING.remove(this);
    }

    /** Whether its connections can be asked for. */
    boolean isOpen() {
        return !(context instanceof ConfigurableApplicationContext closeable) || closeable.isActive();
    }

    /** The locks for a DataSource that a transaction has bound. */
    static RowLocks locksOf(DataSource dataSource) {
        return RUNNING.stream()
                .filter(tested -> tested.dataSources.containsValue(dataSource))
                .findFirst()
                .or(() -> RUNNING.stream().findFirst())
                .map(TestedContext::locks)
                .orElseThrow(
                        () -> new IllegalStateException("No test with @RowLockTest is running, and RowLockAssertions"
                                + " takes the strategies of its context. Annotate the test class."));
    }

    /** The DataSources of all running tests. */
    static Map<String, DataSource> runningDataSources() {
        Map<String, DataSource> all = new LinkedHashMap<>();
        RUNNING.forEach(tested -> all.putAll(tested.dataSources));
        return all;
    }
}
