package org.rowlock.spring.boot;

import javax.sql.DataSource;
import org.rowlock.LockListener;
import org.rowlock.RowLocks;
import org.rowlock.spring.EnableRowLocks;
import org.rowlock.spring.RowLockSettings;
import org.rowlock.spring.internal.pool.Routes;
import org.rowlock.spring.internal.proxy.LockChains;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Enables {@link org.rowlock.spring.RowLock} if there is a DataSource. {@link RowLockProperties} are the configuration.
 * Beans of type {@link LockListener} are notified of every attempt to lock, in the order of the beans. A bean of type
 * {@link RowLocks} or {@link RowLockSettings} replaces the bean that this class would create. The properties and
 * listeners of the replaced bean then have no effect. With actuator, the endpoint {@link RowLocksEndpoint} is available
 * if the application exposes it.
 */
// The classes are named by strings, because Spring Boot 4 moved these classes to other packages.
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
    @ConditionalOnMissingBean
    RowLocks rowLocks(
            RowLockProperties properties,
            ObjectProvider<LockListener> listeners,
            Environment environment,
            ObjectProvider<DataSource> dataSources) {
        return RowLocksFactory.create(
                properties,
                environment,
                listeners.orderedStream().toList(),
                // The DataSource bean is looked up at the first call, because its creation may need beans that do not
                // exist yet.
                SingletonSupplier.of(dataSources::getObject));
    }

    /**
     * This bean depends on the beans that create the tables, such as Flyway. The verification at startup needs the
     * tables, even if all beans are lazy.
     */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    RowLockSettings rowLockSettings(RowLockProperties properties) {
        return new PropertySettings(properties);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class Actuator {
        @Bean
        @ConditionalOnAvailableEndpoint
        @ConditionalOnMissingBean
        RowLocksEndpoint rowLocksEndpoint(RowLocks locks, LockChains chains, ConfigurableListableBeanFactory beans) {
            return new RowLocksEndpoint(locks, chains, Routes.beans(beans));
        }
    }
}
