package org.rowlock.spring.boot;

import java.util.Map;
import javax.sql.DataSource;
import org.rowlock.RowLocks;
import org.rowlock.spring.internal.pool.Routes;
import org.rowlock.spring.internal.proxy.RowLockUsages;
import org.rowlock.spring.internal.startup.StrategyWatch;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The actuator endpoint {@link RowLocksEndpoint}, where the application has actuator and exposes it. */
@AutoConfiguration(after = RowLockAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(RowLocks.class)
public final class RowLocksEndpointAutoConfiguration {
    RowLocksEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    RowLocksEndpoint rowLocksEndpoint(
            RowLocks locks, RowLockUsages usages, Map<String, DataSource> dataSources, StrategyWatch watch) {
        return new RowLocksEndpoint(locks, usages, Routes.named(dataSources), watch);
    }
}
