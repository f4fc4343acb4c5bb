package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/**
 * Puts the locks into the proxies of beans that have {@link RowLock}: the lock behind everything else in the chain, and so
 * inside the transaction whatever the order of the advisors; the admission directly in front of the transaction.
 *
 * <p>An advisor with an order cannot do this: Spring's transaction advisor has the lowest precedence there is.
 */
final class RowLockBeanPostProcessor extends ProxyProcessorSupport implements SmartInstantiationAwareBeanPostProcessor {
    private static final long serialVersionUID = 1;

    private final transient RowLockDefinitions definitions;
    private final transient Supplier<RowLockUsages> usages;
    private final transient Supplier<SpringLocks> locks;
    private final transient DataSources dataSources;
    private final transient ConfigurableListableBeanFactory beans;

    /** Beans that others got before they were finished, and that are advised already. */
    private final transient Set<String> advisedEarly = ConcurrentHashMap.newKeySet();

    RowLockBeanPostProcessor(
            RowLockDefinitions definitions,
            Supplier<RowLockUsages> usages,
            Supplier<SpringLocks> locks,
            DataSources dataSources,
            ConfigurableListableBeanFactory beans) {
        this.definitions = definitions;
        this.usages = usages;
        this.locks = locks;
        this.dataSources = dataSources;
        this.beans = beans;
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        Object advised = advise(bean, beanName);
        if (advised == null) {
            return bean;
        }
        advisedEarly.add(beanName);
        return advised;
    }

    @Override
    public @Nullable Object postProcessAfterInitialization(Object bean, String beanName) {
        Object advised = advisedEarly.remove(beanName) ? null : advise(bean, beanName);
        return advised == null ? bean : advised;
    }

    /** The proxy, its chain complete; null for a bean that locks nothing. */
    private @Nullable Object advise(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return null;
        }
        List<Method> methods = Placement.lockingMethods(definitions, bean);
        if (methods.isEmpty()) {
            return null;
        }
        Placement.check(methods, bean, beanName);
        if (bean instanceof Advised advised) {
            if (advised.isFrozen()) {
                throw new RowLockDefinitionException(
                        "The proxy of bean " + beanName + " is frozen, so its @RowLock cannot be put inside its"
                                + " transaction.",
                        "Do not freeze it.");
            }
            addTo(advised, beanName, methods);
            return bean;
        }
        return newProxy(bean, beanName, methods);
    }

    private void addTo(Advised advised, String beanName, List<Method> methods) {
        List<TransactionAttributeSource> sources = new ArrayList<>();
        int first = -1;
        int last = -1;
        Advisor[] advisors = advised.getAdvisors();
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i].getAdvice() instanceof TransactionInterceptor transaction) {
                first = first < 0 ? i : first;
                last = i;
                TransactionAttributeSource source = transaction.getTransactionAttributeSource();
                if (source != null) {
                    sources.add(source);
                }
            }
        }
        TransactionDeclarations transactions = new TransactionDeclarations(List.copyOf(sources));
        Placement.check(methods, advised, transactions);
        // The last advisors of a repository's proxy are its implementation and never proceed.
        advised.addAdvisor(
                Placement.isRepository(advised) && last >= 0 ? last + 1 : advisors.length, lockAdvisor(transactions));
        if (first >= 0) {
            advised.addAdvisor(first, admissionAdvisor(transactions));
        }
        usages.get().add(beanName, methods, transactions, AopUtils.getTargetClass(advised), definitions);
    }

    private Object newProxy(Object bean, String beanName, List<Method> methods) {
        ProxyFactory factory = new ProxyFactory();
        factory.copyFrom(this);
        factory.setTarget(bean);
        if (AutoProxyUtils.shouldProxyTargetClass(beans, beanName)) {
            factory.setProxyTargetClass(true);
        }
        if (!factory.isProxyTargetClass()) {
            evaluateProxyInterfaces(bean.getClass(), factory);
        }
        TransactionDeclarations none = new TransactionDeclarations(List.of());
        factory.addAdvisor(lockAdvisor(none));
        Placement.check(methods, factory, none);
        usages.get().add(beanName, methods, none, bean.getClass(), definitions);
        return factory.getProxy(getProxyClassLoader());
    }

    private Advisor lockAdvisor(TransactionDeclarations transactions) {
        return advisor(new LockInterceptor(definitions, locks, dataSources, beans, transactions));
    }

    private Advisor admissionAdvisor(TransactionDeclarations transactions) {
        return advisor(new AdmissionInterceptor(definitions, locks, dataSources, transactions));
    }

    private Advisor advisor(org.aopalliance.aop.Advice advice) {
        return new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> targetClass) {
                        return definitions.of(method, targetClass) != null;
                    }
                },
                advice);
    }
}
