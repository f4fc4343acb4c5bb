package org.rowlock.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import javax.sql.DataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.metrics.JdbcMetrics;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Wraps the DataSources of the application where {@code rowlock.jdbc.mode} is given, with meters of them
 * where there is a MeterRegistry; see {@link RowLockProperties.Jdbc}.
 */
// By name, as Spring Boot 4 moved them to other modules and packages.
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
// No @ConditionalOnProperty, as YAML reads off as false.
@ConditionalOnExpression("!'${rowlock.jdbc.mode:}'.empty")
public final class RowLockJdbcAutoConfiguration {
    RowLockJdbcAutoConfiguration() {}

    /** Static, and from the environment alone, so that nothing else is made before the DataSources. */
    @Bean
    static BeanPostProcessor rowLockJdbcBeanPostProcessor(Environment environment, ConfigurableBeanFactory beans) {
        if (!ClassUtils.isPresent("org.rowlock.jdbc.RowlockDataSource", beans.getBeanClassLoader())) {
            throw new RowLockDefinitionException(
                    "The property rowlock.jdbc.mode is set, and lock-jdbc is not on the class path.",
                    "Add the dependency org.rowlock:lock-jdbc, or remove the property.");
        }
        return new JdbcBeanPostProcessor(environment);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterRegistry.class, RowlockDataSource.class})
    @ConditionalOnSingleCandidate(MeterRegistry.class)
    static class Metrics {
        @Bean
        JdbcMetrics rowLockJdbcMetrics(MeterRegistry meters, Map<String, DataSource> dataSources) {
            JdbcMetrics metrics = new JdbcMetrics(meters);
            JdbcReports.controls(dataSources).forEach(metrics::bind);
            return metrics;
        }
    }
}
