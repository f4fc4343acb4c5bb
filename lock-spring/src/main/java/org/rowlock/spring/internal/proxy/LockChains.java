package org.rowlock.spring.internal.proxy;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.value.LockWait;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.annotation.MethodLocks;
import org.rowlock.spring.internal.annotation.RowLockDefinition;
import org.rowlock.spring.internal.annotation.RowLockDefinitions;
import org.rowlock.spring.internal.call.CommitListener;
import org.rowlock.spring.internal.call.DataSources;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;

/**
 * Adds two interceptors to the proxies of beans that have {@link RowLock}. The locking interceptor is the last in the
 * chain, and therefore runs in the transaction, regardless of the order of the advisors. In the proxy of a repository,
 * the locking interceptor runs directly after the transaction has begun. The queueing interceptor runs directly before
 * the transaction begins.
 *
 * <p>The order of an advisor cannot ensure these positions, because Spring's transaction advisor already has the lowest
 * precedence. This post-processor has no order, so that it runs after ordered post-processors, such as the
 * post-processor of method validation.
 */
public final class LockChains implements SmartInstantiationAwareBeanPostProcessor, AopInfrastructureBean {
    /**
     * A {@link RowLock} that was found on a bean.
     *
     * @param lockWait the wait; null for the configured default
     * @param dataSource the database, looked up on first use, because the transaction manager may not exist yet
     */
    public record Usage(
            String bean,
            RowLockDefinition definition,
            @Nullable LockWait lockWait,
            Supplier<DataSource> dataSource) {
        public String method() {
            return definition.where();
        }

        public String table() {
            return definition.table().get();
        }
    }

    private final RowLockDefinitions definitions;
    private final List<Usage> usages = new CopyOnWriteArrayList<>();
    private final Set<List<Object>> checked = ConcurrentHashMap.newKeySet();
    private final Supplier<SpringLocks> locks;
    private final DataSources dataSources;
    private final Set<String> selfInvocations = new LinkedHashSet<>();

    private @Nullable Reaction selfInvocation;

    /** The advisor that makes Spring create a proxy. When the interceptors are added, it is removed from the proxy. */
    private final DefaultPointcutAdvisor first;

    public LockChains(RowLockDefinitions definitions, Supplier<SpringLocks> locks, DataSources dataSources) {
        this.definitions = definitions;
        this.locks = locks;
        this.dataSources = dataSources;
        TransactionDeclarations none = new TransactionDeclarations(List.of());
        this.first = advisor(new LockInterceptor(definitions, locks, dataSources, none, false), true);
    }

    /**
     * Returns every {@link RowLock} that was found so far, in the order in which the beans were created. A lazy bean is
     * missing until it is created.
     */
    public List<Usage> usages() {
        return List.copyOf(usages);
    }

    public Advisor first() {
        return first;
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        return postProcessAfterInitialization(bean, beanName);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof TransactionManager) {
            CommitListener.listenTo(bean);
        }
        if (bean instanceof SpringProxy && !(bean instanceof AopInfrastructureBean)) {
            complete(bean, beanName);
        }
        return bean;
    }

    /**
     * Adds the interceptors to a bean that may have been created before this post-processor. If the bean has no proxy,
     * returns the methods of the bean that should lock.
     */
    public List<Method> unlocked(Object bean, String beanName) {
        postProcessAfterInitialization(bean, beanName);
        return bean instanceof SpringProxy ? List.of() : definitions.lockingMethods(bean.getClass(), bean.getClass());
    }

    private void complete(Object bean, String beanName) {
        Object proxied = bean instanceof Advised proxy ? transactional(proxy) : bean;
        List<Method> methods = definitions.lockingMethods(AopUtils.getTargetClass(proxied), proxied.getClass());
        if (methods.isEmpty()) {
            return;
        }
        Placement.check(methods, beanName, proxied.getClass());
        if (!(proxied instanceof Advised advised) || advised.isFrozen()) {
            String hidden = proxied instanceof Advised ? "frozen" : "opaque";
            throw new RowLockDefinitionException(
                    "The proxy of bean " + beanName + " is " + hidden
                            + ", so Rowlock cannot add the lock to its transaction.",
                    "Do not make the proxy " + hidden + ".");
        }
        for (Object each = bean; each instanceof Advised proxy; each = AopProxyUtils.getSingletonTarget(proxy)) {
            proxy.removeAdvisor(first);
        }
        // One object can be several beans, so the proxy of the object may already have the interceptors.
        if (!has(advised, LockInterceptor.class)) {
            addTo(advised, beanName, methods);
        }
    }

    /**
     * Returns the innermost proxy that begins transactions, or the innermost proxy if no proxy begins transactions. A
     * proxy may wrap another proxy, as Spring's proxies of repositories do.
     */
    private static Advised transactional(Advised outermost) {
        Advised innermost = outermost;
        Advised transactional = null;
        for (Object each = outermost; each instanceof Advised proxy; each = AopProxyUtils.getSingletonTarget(proxy)) {
            innermost = proxy;
            transactional = has(proxy, TransactionInterceptor.class) ? proxy : transactional;
        }
        return transactional == null ? innermost : transactional;
    }

    private static boolean has(Advised proxy, Class<? extends Advice> type) {
        return Arrays.stream(proxy.getAdvisors()).anyMatch(advisor -> type.isInstance(advisor.getAdvice()));
    }

    private void addTo(Advised advised, String beanName, List<Method> methods) {
        Advisor[] advisors = advised.getAdvisors();
        List<Integer> begins = IntStream.range(0, advisors.length)
                .filter(i -> advisors[i].getAdvice() instanceof TransactionInterceptor)
                .boxed()
                .toList();
        TransactionDeclarations transactions = new TransactionDeclarations(begins.stream()
                .map(i -> (TransactionInterceptor) advisors[i].getAdvice())
                .toList());
        Class<?> targetClass = AopUtils.getTargetClass(advised);
        // The check runs only once for all instances of a prototype or scoped bean, unless the check failed before.
        if (!checked.contains(List.of(beanName, targetClass))) {
            Placement.check(methods, advised, transactions);
            reportSelfInvocations(SelfInvocations.find(methods, ClassUtils.getUserClass(targetClass)));
            methods.forEach(method -> addUsages(beanName, method, targetClass, transactions));
            checked.add(List.of(beanName, targetClass));
        }
        // In a repository's proxy, the advisors after the transaction implement the methods of the repository, and do
        // not call proceed().
        int end = !Placement.isRepository(advised)
                ? advisors.length
                : begins.isEmpty() ? 0 : begins.get(begins.size() - 1) + 1;
        boolean adviceBetween = !begins.isEmpty() && end - begins.get(0) > begins.size();
        LockInterceptor lock = new LockInterceptor(definitions, locks, dataSources, transactions, adviceBetween);
        advised.addAdvisor(end, advisor(lock, false));
        if (!begins.isEmpty()) {
            advised.addAdvisor(begins.get(0), advisor(lock.new Admission(), false));
        }
    }

    private void addUsages(String beanName, Method method, Class<?> targetClass, TransactionDeclarations transactions) {
        MethodLocks locks = definitions.of(method, targetClass);
        if (locks != null) {
            locks.definitions()
                    .forEach(definition -> usages.add(new Usage(
                            beanName,
                            definition,
                            locks.lockWait(),
                            () -> dataSources.of(transactions.managerOf(method, targetClass)))));
        }
    }

    /**
     * Reports self-invocations, or collects them while the settings bean does not exist and the reaction is unknown.
     */
    private synchronized void reportSelfInvocations(Set<String> found) {
        if (selfInvocation == null) {
            selfInvocations.addAll(found);
        } else {
            SelfInvocations.report(found, selfInvocation);
        }
    }

    /**
     * Reports the self-invocations that were found so far. From now on, each one is reported when it is found.
     *
     * @throws RowLockDefinitionException if there are self-invocations, and the reaction is to fail
     */
    public synchronized void reportSelfInvocations(Reaction reaction) {
        selfInvocation = reaction;
        SelfInvocations.report(selfInvocations, reaction);
    }

    private DefaultPointcutAdvisor advisor(Advice advice, boolean ofBeans) {
        StaticMethodMatcherPointcut locking = new StaticMethodMatcherPointcut() {
            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return definitions.of(method, targetClass) != null;
            }
        };
        if (ofBeans) {
            // The filter quickly excludes the many beans that lock nothing, and existing proxies.
            locking.setClassFilter(type -> !SpringProxy.class.isAssignableFrom(type)
                    && !definitions.lockingMethods(type, type).isEmpty());
        }
        return new DefaultPointcutAdvisor(locking, advice);
    }
}
