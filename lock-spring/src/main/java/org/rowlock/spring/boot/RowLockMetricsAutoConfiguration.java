package org.rowlock.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import org.rowlock.RowLocks;
import org.rowlock.spring.LockInstrumentation;
import org.rowlock.spring.metrics.LockMetrics;
import org.rowlock.spring.metrics.LockObservations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * {@link LockMetrics} where there is a MeterRegistry, with the observations of the ObservationRegistry if there is one.
 * A {@link LockInstrumentation} of the application takes their place.
 */
// By name, as Spring Boot 4 moved them to other modules and packages.
@AutoConfiguration(
        after = RowLockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(RowLocks.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnMissingBean(LockInstrumentation.class)
public final class RowLockMetricsAutoConfiguration {
    RowLockMetricsAutoConfiguration() {}

    /** Static, as registries take filters before other beans are made. */
    @Bean
    static MeterFilter rowLockMeterDescriptions() {
        return LockMetrics.descriptions();
    }

    @Bean
    LockMetrics rowLockMetrics(
            MeterRegistry meters, ObjectProvider<ObservationRegistry> observations, Environment environment) {
        ObservationRegistry observed = observations.getIfUnique();
        return observed == null
                ? new LockMetrics(meters)
                : new LockMetrics(
                        meters,
                        new LockObservations(
                                observed, environment.getProperty("rowlock.observe-ids", boolean.class, false)));
    }
}
