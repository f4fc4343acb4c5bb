package org.rowlock.spring.internal.proxy;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.rowlock.spring.RowLock;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;

/**
 * Makes the proxies of beans that have {@link RowLock} and no other advice. It comes before the processors of
 * listeners, schedules and the like, which have the lowest precedence: what they call is then the proxy.
 * {@link LockChains} completes it behind them.
 */
public final class RowLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
    private static final long serialVersionUID = 1;

    private final transient LockChains chains;
    private final transient BeanFactory beans;

    /** The objects of beans that others got before they were finished, and that are advised already. */
    private final transient Map<String, Object> advisedEarly = new ConcurrentHashMap<>();

    public RowLockBeanPostProcessor(LockChains chains, BeanFactory beans) {
        this.chains = chains;
        this.beans = beans;
        this.advisor = chains.alone();
        setBeanFactory(beans);
        setOrder(Ordered.LOWEST_PRECEDENCE - 1);
    }

    @Override
    public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
        return SpringProxy.class.isAssignableFrom(beanClass) ? beanClass : super.determineBeanType(beanClass, beanName);
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        Object proxy = proxy(bean, beanName);
        if (proxy instanceof SpringProxy) {
            chains.complete(proxy, beanName);
            Object target = AopProxyUtils.getSingletonTarget(bean);
            advisedEarly.put(beanName, target == null ? bean : target);
        }
        return proxy;
    }

    // Also of a bean that has an equals of its own.
    @SuppressWarnings("ReferenceEquality")
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        // The object, and not the name alone: creating a bean can fail and be tried again.
        Object early = advisedEarly.remove(beanName);
        return early == bean ? bean : proxy(bean, beanName);
    }

    private Object proxy(Object bean, String beanName) {
        Object proxy = bean instanceof SpringProxy ? bean : super.postProcessAfterInitialization(bean, beanName);
        return proxy == null ? bean : proxy;
    }

    @Override
    protected boolean isEligible(Class<?> type) {
        return !chains.definitions().lockingMethods(type, type).isEmpty();
    }

    /** As the others are, so that a bean with @RowLock alone is injected as one with @Transactional is. */
    @Override
    protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
        ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
        if (beans.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                && beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig others
                && others.isProxyTargetClass()) {
            factory.setProxyTargetClass(true);
        }
        return factory;
    }
}
