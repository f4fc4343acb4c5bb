package org.rowlock.spring.boot;

import javax.sql.DataSource;
import org.rowlock.LockListener;
import org.rowlock.RowLocks;
import org.rowlock.spring.EnableRowLocks;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.RowLockSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Switches {@link org.rowlock.spring.RowLock} on where there is a DataSource, as {@link RowLockProperties} have it.
 * Beans of type {@link LockListener} get every attempt to lock, in their order. A bean of type {@link RowLocks}
 * or {@link RowLockSettings} takes the place of the one that is made here, and of the properties and listeners behind
 * it.
 */
// By name, as Spring Boot 4 moved them to other packages.
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(prefix = "rowlock", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(RowLockProperties.class)
@EnableRowLocks
public final class RowLockAutoConfiguration {
    RowLockAutoConfiguration() {}

    @Bean
    @ConfigurationPropertiesBinding
    static LockWaitConverter rowLockWaitConverter() {
        return new LockWaitConverter();
    }

    @Bean
    @ConditionalOnMissingBean
    RowLocks rowLocks(
            RowLockProperties properties, ObjectProvider<LockListener> listeners, ConfigurableEnvironment environment) {
        TableVariables.check(environment);
        Integer given = properties.admission().maxWaitersPerKey();
        return RowLocksFactory.create(
                properties,
                given != null ? given : properties.isRowAlone() ? Integer.MAX_VALUE : WebThreads.share(environment),
                listeners.orderedStream().toList());
    }

    /** Behind Flyway and the like also where beans are lazy: the verification at startup, which is not, needs this. */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    RowLockSettings rowLockSettings(RowLockProperties properties) {
        try {
            return new RowLockSettings(
                    properties.lockWait(),
                    properties.admission().enabled(),
                    properties.verify(),
                    properties.missingGuard(),
                    properties.admission().timeout());
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "The property rowlock.admission.timeout cannot be used: " + e.getMessage() + ".",
                    "Change it in the application's configuration.");
        }
    }
}
