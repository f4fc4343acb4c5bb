package org.rowlock.spring.boot;

import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Wraps the DataSources of the application where {@code rowlock.jdbc.mode} is given; see {@link RowLockProperties.Jdbc}. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "rowlock.jdbc", name = "mode")
public final class RowLockJdbcAutoConfiguration {
    RowLockJdbcAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RowlockDataSource.class)
    static class Wrapped {
        /** Static, and from the environment alone, so that nothing else is made before the DataSources. */
        @Bean
        static JdbcBeanPostProcessor rowLockJdbcBeanPostProcessor(Environment environment) {
            return new JdbcBeanPostProcessor(environment);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.rowlock.jdbc.RowlockDataSource")
    static class Missing {
        Missing() {
            throw new RowLockDefinitionException(
                    "The property rowlock.jdbc.mode is set, and lock-jdbc is not on the class path.",
                    "Add the dependency org.rowlock:lock-jdbc, or remove the property.");
        }
    }
}
