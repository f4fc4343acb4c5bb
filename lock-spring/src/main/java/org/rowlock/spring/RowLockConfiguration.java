package org.rowlock.spring;

import io.micrometer.observation.ObservationRegistry;
import javax.sql.DataSource;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.internal.annotation.RowLockDefinitions;
import org.rowlock.spring.internal.call.DataSources;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.spring.internal.startup.StartupVerification;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.function.SingletonSupplier;

/** The beans that {@link EnableRowLocks} registers. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(RowLockConfiguration.Proxies.class)
class RowLockConfiguration {
    /** Registers Spring's proxy creator, unless {@code @EnableTransactionManagement} has already registered it. */
    static final class Proxies implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry beans) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(beans);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowLockAdvisor(LockChains chains) {
        return chains.first();
    }

    /**
     * This method is static and depends only on the bean factory, because Spring creates this bean before all other
     * beans.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockChains rowLockChains(ConfigurableListableBeanFactory beans) {
        return new LockChains(
                new RowLockDefinitions(beans),
                SingletonSupplier.of(beans.getBeanProvider(SpringLocks.class)::getObject),
                new DataSources(beans));
    }

    @Bean
    SpringLocks rowLockSpringLocks(
            ObjectProvider<RowLocks> locks,
            ObjectProvider<RowLockSettings> settings,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<DataSource> dataSources) {
        return new SpringLocks(
                locks.getIfAvailable(() -> LockAccess.builder(SingletonSupplier.of(dataSources::getObject))
                        .build()),
                settings.getIfAvailable(RowLockSettings::defaults),
                observations.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    /**
     * This bean is lazy, because an application with several DataSources defines its own templates instead. One of
     * those templates may be named rowLockTemplate, so this bean has another name.
     */
    @Bean("rowLockDefaultTemplate")
    @Lazy
    @Fallback
    RowLockTemplate rowLockTemplate(
            SpringLocks locks, PlatformTransactionManager transactions, ConfigurableListableBeanFactory beans) {
        DataSource dataSource = new DataSources(beans).of(null);
        return new RowLockTemplate(locks, transactions, dataSource);
    }

    @Bean
    StartupVerification rowLockStartupVerification(
            SpringLocks locks, LockChains chains, ConfigurableListableBeanFactory beans) {
        return new StartupVerification(locks, chains, beans);
    }
}
