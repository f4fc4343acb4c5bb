package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/**
 * Puts the locks into the proxies of beans that have {@link RowLock}: the lock behind everything else in the chain, and so
 * inside the transaction whatever the order of the advisors; the admission directly in front of the transaction.
 *
 * <p>An advisor with an order cannot do this: Spring's transaction advisor has the lowest precedence there is. The
 * processor itself has no order on purpose, so that it comes after those that have one, such as method validation.
 */
final class RowLockBeanPostProcessor
        implements SmartInstantiationAwareBeanPostProcessor, BeanClassLoaderAware, AopInfrastructureBean {
    private final RowLockDefinitions definitions;
    private final Supplier<RowLockUsages> usages;
    private final Supplier<SpringLocks> locks;
    private final DataSources dataSources;
    private final ConfigurableListableBeanFactory beans;
    private final NewProxies newProxies = new NewProxies();

    /** The objects of beans that others got before they were finished, and that are advised already. */
    private final Map<String, Object> advisedEarly = new ConcurrentHashMap<>();

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
    public void setBeanClassLoader(ClassLoader classLoader) {
        newProxies.setBeanClassLoader(classLoader);
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        Object advised = advise(bean, beanName);
        if (advised == null) {
            return bean;
        }
        Object target = AopProxyUtils.getSingletonTarget(bean);
        advisedEarly.put(beanName, target == null ? bean : target);
        return advised;
    }

    @Override
    public @Nullable Object postProcessAfterInitialization(Object bean, String beanName) {
        // The object, and not the name alone: creating a bean can fail and be tried again.
        Object early = advisedEarly.remove(beanName);
        boolean advisedAlready = early != null && early.equals(bean);
        Object advised = advisedAlready ? null : advise(bean, beanName);
        return advised == null ? bean : advised;
    }

    /** The proxy, its chain complete; null for a bean that locks nothing. */
    private @Nullable Object advise(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return null;
        }
        Object proxied = bean instanceof Advised proxy ? transactional(proxy) : bean;
        List<Method> methods = Placement.lockingMethods(definitions, proxied);
        if (methods.isEmpty()) {
            return null;
        }
        Placement.check(methods, beanName);
        if (proxied instanceof Advised advised) {
            if (advised.isFrozen()) {
                throw new RowLockDefinitionException(
                        "The proxy of bean " + beanName + " is frozen, so its @RowLock cannot be put inside its"
                                + " transaction.",
                        "Do not freeze it.");
            }
            if (!isAdvised(advised)) {
                addTo(advised, beanName, methods);
            }
            return bean;
        }
        if (bean instanceof SpringProxy) {
            throw new RowLockDefinitionException(
                    "The proxy of bean " + beanName + " is opaque, so its @RowLock cannot be put inside its"
                            + " transaction.",
                    "Do not make it opaque.");
        }
        return newProxy(bean, beanName, methods);
    }

    /**
     * Of proxies around proxies, as others make them and Spring itself does of repositories, the innermost that begins
     * transactions; where none does, the innermost.
     */
    private static Advised transactional(Advised outermost) {
        Advised innermost = outermost;
        Advised transactional = null;
        for (Object each = outermost; each instanceof Advised proxy; each = AopProxyUtils.getSingletonTarget(proxy)) {
            innermost = proxy;
            transactional = hasTransactions(proxy) ? proxy : transactional;
        }
        return transactional == null ? innermost : transactional;
    }

    private static boolean hasTransactions(Advised proxy) {
        return Arrays.stream(proxy.getAdvisors())
                .anyMatch(advisor -> advisor.getAdvice() instanceof TransactionInterceptor);
    }

    /** One object can be several beans. */
    private static boolean isAdvised(Advised advised) {
        for (Advisor advisor : advised.getAdvisors()) {
            if (advisor.getAdvice() instanceof LockInterceptor) {
                return true;
            }
        }
        return false;
    }

    private void addTo(Advised advised, String beanName, List<Method> methods) {
        List<TransactionInterceptor> interceptors = new ArrayList<>();
        int first = -1;
        int last = -1;
        Advisor[] advisors = advised.getAdvisors();
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i].getAdvice() instanceof TransactionInterceptor transaction) {
                first = first < 0 ? i : first;
                last = i;
                interceptors.add(transaction);
            }
        }
        TransactionDeclarations transactions = new TransactionDeclarations(
                List.copyOf(interceptors), Placement.isRepository(advised) ? repositoryManager(beanName) : "");
        Placement.check(methods, advised, transactions);
        // The last advisors of a repository's proxy are its implementation and never proceed.
        int end = Placement.isRepository(advised) ? last + 1 : advisors.length;
        boolean adviceBetween = first >= 0 && end - first > interceptors.size();
        advised.addAdvisor(end, lockAdvisor(transactions, adviceBetween));
        if (first >= 0) {
            advised.addAdvisor(first, admissionAdvisor(transactions));
        }
        list(beanName, methods, transactions, AopUtils.getTargetClass(advised));
    }

    /** The transactionManagerRef of Spring Data's {@code @Enable...Repositories}, which the interceptor does not tell. */
    private String repositoryManager(String beanName) {
        return beans.containsBeanDefinition(beanName)
                        && beans.getMergedBeanDefinition(beanName)
                                        .getPropertyValues()
                                        .get("transactionManager")
                                instanceof String name
                ? name
                : "";
    }

    /** Once for all instances of a bean that is no singleton. */
    private void list(
            String beanName, List<Method> methods, TransactionDeclarations transactions, Class<?> targetClass) {
        if (usages.get().add(beanName, methods, transactions, targetClass, definitions)) {
            SelfInvocations.report(methods, targetClass, selfInvocation());
        }
    }

    /** Asked of the environment, as the settings are a bean that may need others first. */
    private Reaction selfInvocation() {
        String given = beans.resolveEmbeddedValue("${rowlock.self-invocation:warn}");
        return "fail".equalsIgnoreCase(given) ? Reaction.FAIL : Reaction.WARN;
    }

    private Object newProxy(Object bean, String beanName, List<Method> methods) {
        ProxyFactory factory = newProxies.of(
                bean, AutoProxyUtils.shouldProxyTargetClass(beans, beanName) || othersAreProxiesOfClasses());
        TransactionDeclarations none = TransactionDeclarations.NONE;
        factory.addAdvisor(lockAdvisor(none, false));
        Placement.check(methods, factory, none);
        list(beanName, methods, none, bean.getClass());
        if (beans.containsBeanDefinition(beanName)) {
            // Whoever looks for other annotations of the bean, such as @EventListener, would only see the proxy.
            beans.getMergedBeanDefinition(beanName)
                    .setAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE, bean.getClass());
        }
        return newProxies.proxy(factory);
    }

    /** So that a bean with @RowLock alone is injected as one with @Transactional is. */
    private boolean othersAreProxiesOfClasses() {
        return beans.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                && beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig others
                && others.isProxyTargetClass();
    }

    /** Spring's rules for new proxies. */
    private static final class NewProxies extends ProxyProcessorSupport {
        private static final long serialVersionUID = 1;

        ProxyFactory of(Object bean, boolean ofClass) {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(bean);
            factory.setProxyTargetClass(ofClass);
            if (!ofClass) {
                evaluateProxyInterfaces(bean.getClass(), factory);
            }
            return factory;
        }

        Object proxy(ProxyFactory factory) {
            return factory.getProxy(getProxyClassLoader());
        }
    }

    private Advisor lockAdvisor(TransactionDeclarations transactions, boolean adviceBetween) {
        return advisor(new LockInterceptor(definitions, locks, dataSources, transactions, adviceBetween));
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
