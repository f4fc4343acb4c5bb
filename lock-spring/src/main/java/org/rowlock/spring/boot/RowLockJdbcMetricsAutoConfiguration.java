package org.rowlock.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import javax.sql.DataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.metrics.JdbcMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** {@link JdbcMetrics} of the DataSources that are wrapped, where there is a MeterRegistry. */
// By name, as Spring Boot 4 moved them to other modules and packages.
@AutoConfiguration(
        after = RowLockJdbcAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, RowlockDataSource.class})
@ConditionalOnBean(JdbcBeanPostProcessor.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class RowLockJdbcMetricsAutoConfiguration {
    RowLockJdbcMetricsAutoConfiguration() {}

    @Bean
    JdbcMetrics rowLockJdbcMetrics(MeterRegistry meters, Map<String, DataSource> dataSources) {
        JdbcMetrics metrics = new JdbcMetrics(meters);
        JdbcReports.controls(dataSources).forEach(metrics::bind);
        return metrics;
    }
}
