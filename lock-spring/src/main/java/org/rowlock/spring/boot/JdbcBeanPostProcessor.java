package org.rowlock.spring.boot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockMode;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
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
        RowLockProperties.Jdbc given = binder.bindOrCreate("rowlock.jdbc", RowLockProperties.Jdbc.class);
        // Here alone as what it is, since lock-jdbc need not be there; and YAML reads off as false.
        RowlockMode mode = binder.bind("rowlock.jdbc.mode", RowlockMode.class).orElse(RowlockMode.QUEUE);
        return RowLocksFactory.set(
                "rowlock.jdbc.*",
                () -> RowlockDataSource.builder(dataSource)
                        .name(name)
                        .mode(mode)
                        .include(given.include().toArray(String[]::new))
                        .exclude(given.exclude().toArray(String[]::new))
                        .release(given.release())
                        .front(given.front())
                        .build());
    }

    @Override
    public void destroy() {
        wrapped.values().forEach(RowlockDataSource::close);
    }
}
