package org.rowlock.spring.boot;

import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Wraps the DataSources of the application where {@code rowlock.jdbc.mode} is given; see
 * {@link RowLockProperties.Jdbc}.
 */
@AutoConfiguration
@Conditional(RowLockJdbcAutoConfiguration.ModeGiven.class)
public final class RowLockJdbcAutoConfiguration {
    RowLockJdbcAutoConfiguration() {}

    /** Also where it is off, which YAML reads as false. */
    static final class ModeGiven implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return context.getEnvironment().containsProperty("rowlock.jdbc.mode");
        }
    }

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
