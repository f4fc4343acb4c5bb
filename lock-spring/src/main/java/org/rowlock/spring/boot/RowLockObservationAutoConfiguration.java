package org.rowlock.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import org.rowlock.RowLocks;
import org.rowlock.spring.LockInstrumentation;
import org.rowlock.spring.metrics.LockObservations;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** {@link LockObservations} where there is an ObservationRegistry but no MeterRegistry. */
@AutoConfiguration(after = RowLockMetricsAutoConfiguration.class)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(RowLocks.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
@ConditionalOnMissingBean(LockInstrumentation.class)
public final class RowLockObservationAutoConfiguration {
    RowLockObservationAutoConfiguration() {}

    @Bean
    LockObservations rowLockObservations(ObservationRegistry observations, Environment environment) {
        return new LockObservations(observations, environment.getProperty("rowlock.observe-ids", boolean.class, false));
    }
}
