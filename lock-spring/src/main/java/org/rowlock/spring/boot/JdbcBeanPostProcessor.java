package org.rowlock.spring.boot;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.rowlock.LockFront;
import org.rowlock.LockRelease;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Wraps every bean that is a DataSource, but for those of Spring that lead to others, which are beans themselves or the
 * application's to wrap. They unwrap to what they were.
 */
final class JdbcBeanPostProcessor implements BeanPostProcessor, DisposableBean {
    private final Environment environment;

    /** The last of each name, in JMX: after new credentials, say, a bean is made again. */
    private final Map<String, RowlockDataSource> wrapped = new ConcurrentHashMap<>();

    JdbcBeanPostProcessor(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof DataSource dataSource
                && !(bean instanceof DelegatingDataSource)
                && !(bean instanceof AbstractRoutingDataSource)
                && JdbcReports.control(dataSource) == null) {
            RowlockDataSource before = wrapped.remove(beanName);
            if (before != null) {
                before.close();
            }
            RowlockDataSource wrapper = wrap(beanName, dataSource);
            wrapped.put(beanName, wrapper);
            return wrapper;
        }
        return bean;
    }

    private RowlockDataSource wrap(String name, DataSource dataSource) {
        Binder binder = Binder.get(environment);
        RowLockProperties.JdbcMode mode = binder.bind("rowlock.jdbc.mode", RowLockProperties.JdbcMode.class)
                .orElse(RowLockProperties.JdbcMode.QUEUE);
        LockRelease release =
                binder.bind("rowlock.jdbc.release", LockRelease.class).orElse(LockRelease.PLAIN);
        LockFront front = binder.bind("rowlock.jdbc.front", LockFront.class).orElse(LockFront.ADAPTIVE);
        try {
            return RowlockDataSource.builder(dataSource)
                    .name(name)
                    .mode(RowlockMode.valueOf(mode.name()))
                    .include(tables(binder, "include"))
                    .exclude(tables(binder, "exclude"))
                    .release(release)
                    .front(front)
                    .build();
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "The properties rowlock.jdbc.* cannot be used: " + e.getMessage() + ".",
                    "Change them in the application's configuration.");
        }
    }

    private static String[] tables(Binder binder, String property) {
        return binder.bind("rowlock.jdbc." + property, Bindable.listOf(String.class))
                .orElse(List.of())
                .toArray(String[]::new);
    }

    @Override
    public void destroy() {
        wrapped.values().forEach(RowlockDataSource::close);
    }
}
