package org.rowlock.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockJdbcMXBean;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.pool.Routes;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/**
 * Wraps the DataSources of the application if {@code rowlock.jdbc.mode} is set, with meters if there is a
 * MeterRegistry; see {@link RowLockProperties.Jdbc}.
 */
// The classes are named by strings, because Spring Boot 4 moved these classes to other modules and packages.
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
// @ConditionalOnProperty does not match the value "false", and YAML reads the mode "off" as the boolean false.
@ConditionalOnExpression("!'${rowlock.jdbc.mode:}'.empty")
public final class RowLockJdbcAutoConfiguration {
    RowLockJdbcAutoConfiguration() {}

    /**
     * The method is static and needs only the environment and the bean factory, so that it creates no other bean too
     * early.
     */
    @Bean
    static Wrapping rowLockJdbcBeanPostProcessor(Environment environment, ConfigurableBeanFactory beans) {
        if (!ClassUtils.isPresent("org.rowlock.jdbc.RowlockDataSource", beans.getBeanClassLoader())) {
            throw new RowLockDefinitionException(
                    "The property rowlock.jdbc.mode is set, but lock-jdbc is not on the class path.",
                    "Add the dependency org.rowlock:lock-jdbc, or remove the property.");
        }
        return new Wrapping(environment);
    }

    /**
     * Wraps every bean that is a DataSource, unless lock-jdbc already wraps the bean. Spring's delegating and routing
     * DataSources are skipped, because their targets are usually beans themselves. If a target is not a bean, the
     * application can wrap the target itself. A wrapper unwraps to the original bean. Other processors may put a
     * delegating DataSource in front of the bean, as Spring Boot does for {@code
     * spring.datasource.connection-fetch=lazy}. This processor runs before them.
     */
    static final class Wrapping implements BeanPostProcessor, Ordered, DisposableBean {
        private final Environment environment;

        /**
         * The last wrapper of each bean, by the name of the bean. A bean may be created more than once, for example
         * after a change of credentials.
         */
        private final Map<String, RowlockDataSource> wrapped = new ConcurrentHashMap<>();

        Wrapping(Environment environment) {
            this.environment = environment;
        }

        @Override
        public int getOrder() {
            // This processor runs after the creation of proxies for aspects, because the class of the wrapper is final
            // and cannot be proxied.
            return HIGHEST_PRECEDENCE + 1;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof DataSource dataSource
                    && !(bean instanceof DelegatingDataSource)
                    && !(bean instanceof AbstractRoutingDataSource)
                    && control(dataSource) == null) {
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
            // The type DropInMode is used only inside this method, because lock-jdbc may be missing. YAML reads the
            // word "off" as false, which the binder converts to OFF.
            DropInMode mode = binder.bind("rowlock.jdbc.mode", DropInMode.class).orElse(DropInMode.QUEUE);
            return RowLocksFactory.set(
                    "rowlock.jdbc.*",
                    () -> RowlockDataSource.wrap(
                            dataSource,
                            name,
                            Map.of(
                                    "mode", mode.name(),
                                    "include", String.join(",", given.include()),
                                    "exclude", String.join(",", given.exclude()),
                                    "front", given.front().name(),
                                    "flushWithCommit", Boolean.toString(given.flushWithCommit()))));
        }

        /**
         * Returns the figures of a DataSource that is a wrapper of lock-jdbc, or delegates to such a wrapper. Returns
         * null for any other DataSource.
         */
        static @Nullable RowlockJdbcMXBean control(DataSource dataSource) {
            try {
                return dataSource.isWrapperFor(RowlockDataSource.class)
                        ? dataSource.unwrap(RowlockDataSource.class).control()
                        : null;
            } catch (SQLException | RuntimeException e) {
                // The DataSource cannot be unwrapped, or has no target now, for example a routing DataSource without a
                // default.
                return null;
            }
        }

        @Override
        public void destroy() {
            wrapped.values().forEach(RowlockDataSource::close);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterRegistry.class, RowlockDataSource.class})
    @ConditionalOnSingleCandidate(MeterRegistry.class)
    static class Metrics {
        @Bean
        JdbcMetrics rowLockJdbcMetrics(MeterRegistry meters, ConfigurableListableBeanFactory beans) {
            JdbcMetrics metrics = new JdbcMetrics(meters);
            names(Routes.beans(beans)).forEach((control, name) -> metrics.bind(name, control));
            return metrics;
        }

        /** Names each wrapper once: like its own bean, or else like a bean that delegates to the wrapper. */
        static Map<RowlockJdbcMXBean, String> names(Map<String, DataSource> dataSources) {
            Map<RowlockJdbcMXBean, String> names = new LinkedHashMap<>();
            dataSources.forEach((name, dataSource) -> {
                RowlockJdbcMXBean control = Wrapping.control(dataSource);
                if (control != null && (dataSource instanceof RowlockDataSource || !names.containsKey(control))) {
                    names.put(control, name);
                }
            });
            return names;
        }
    }
}
