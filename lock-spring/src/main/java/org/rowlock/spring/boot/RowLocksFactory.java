package org.rowlock.spring.boot;

import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockListener;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

final class RowLocksFactory {
    private static final int WITHOUT_WEB_SERVER = 1_000;
    private static final int USUAL_THREADS = 200;

    private RowLocksFactory() {}

    static RowLocks create(
            RowLockProperties properties,
            Environment environment,
            List<LockListener> listeners,
            Supplier<DataSource> dataSource) {
        RowLocksBuilder builder = LockAccess.builder(dataSource)
                .strategy(properties.strategy())
                .singleEntryNode(properties.singleEntryNode())
                .release(properties.release())
                .front(properties.front());
        set("rowlock.lock-budget", () -> builder.lockBudget(properties.lockBudget()));
        Integer maxWaitersPerKey = properties.admission().maxWaitersPerKey();
        set(
                "rowlock.admission.max-waiters-per-key",
                () -> builder.maxWaitersPerKey(
                        maxWaitersPerKey == null ? maxWaiters(properties, environment) : maxWaitersPerKey));
        Integer maxAdmittedPerKey = properties.admission().maxAdmittedPerKey();
        if (maxAdmittedPerKey != null) {
            set("rowlock.admission.max-admitted-per-key", () -> builder.maxAdmittedPerKey(maxAdmittedPerKey));
        }
        set("rowlock.largest-group", () -> builder.largestGroup(properties.largestGroup()));
        properties.tables().forEach((name, table) -> set(builder, name, table));
        listeners.forEach(builder::listener);
        return builder.build();
    }

    /**
     * Returns half of the web server's threads, so that the waits for one key cannot occupy all threads. If no web
     * server limits the threads, returns a fixed number.
     */
    private static int maxWaiters(RowLockProperties properties, Environment environment) {
        boolean isRowAlone = properties.strategy() == LockStrategy.ROW
                && properties.tables().values().stream()
                        .allMatch(table -> table.strategy() == null || table.strategy() == LockStrategy.ROW);
        if (isRowAlone) {
            // No caller is rejected, because FOR UPDATE without Rowlock would make the caller wait too.
            return Integer.MAX_VALUE;
        }
        boolean bounded = !environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
                && !"none".equalsIgnoreCase(environment.getProperty("spring.main.web-application-type"));
        if (bounded && ClassUtils.isPresent("org.apache.catalina.startup.Tomcat", null)) {
            return half(environment, "server.tomcat.threads.max");
        }
        return bounded && ClassUtils.isPresent("org.eclipse.jetty.server.Server", null)
                ? half(environment, "server.jetty.threads.max")
                : WITHOUT_WEB_SERVER;
    }

    private static int half(Environment environment, String property) {
        return Math.max(1, environment.getProperty(property, int.class, USUAL_THREADS) / 2);
    }

    private static void set(RowLocksBuilder builder, String name, RowLockProperties.Table table) {
        String property = "rowlock.tables[" + name + "]";
        LockStrategy strategy = table.strategy();
        if (strategy != null) {
            set(property + ".strategy", () -> builder.strategy(name, strategy));
        }
        if (!table.idColumns().isEmpty()) {
            String[] columns = table.idColumns().toArray(String[]::new);
            set(property + ".id-columns", () -> builder.idColumns(name, columns));
        }
    }

    /** Applies the value of a property. The exception for an illegal value names the property. */
    static <T extends @Nullable Object> T set(String property, Supplier<T> setting) {
        try {
            return setting.get();
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "The property " + property + " cannot be used: " + e.getMessage() + ".",
                    "Correct the value in the application's configuration.");
        }
    }
}
