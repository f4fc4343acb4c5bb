package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

import java.io.Serial;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.rowlock.spring.Contexts.Probing;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.spring.internal.proxy.LockChains.Usage;
import org.rowlock.testing.TestDatabase;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.samples.Clinic;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks proxies that are created, shared, wrapped or hidden in unusual ways. */
@Tag("long")
class ProxyEdgesTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    interface Account {
        int seen(int id);
    }

    static class Service extends Probing implements Account {
        @Override
        @Transactional
        public int seen(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    static class TwoNames {
        @Bean
        Account account() {
            return new Service();
        }

        @Bean
        Account sameAccount(Account account) {
            return account;
        }
    }

    @Test
    void oneObjectOfTwoNamesIsAdvisedOnce() {
        var context = Contexts.start(database, TwoNames.class);
        assertThat(context.getBean("sameAccount", Account.class)).isSameAs(context.getBean("account"));
        assertThat(context.getBean("account", Account.class).seen(1)).isOne();
    }

    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    static class Prototype extends Service {}

    @Test
    void prototypesAreListedOnce() {
        var context = Contexts.start(database, Prototype.class);
        for (int i = 0; i < 3; i++) {
            assertThat(context.getBean(Account.class).seen(1)).isOne();
        }
        assertThat(context.getBean(LockChains.class).usages()).hasSize(1);
    }

    /** Wraps a bean in a second proxy, as tracing libraries do, which ignore the first proxy. */
    static class Wrapped {
        @Bean
        Account account() {
            return new Service();
        }

        @Bean
        static BeanPostProcessor wrapping() {
            return new Wrapping();
        }
    }

    static class Wrapping implements BeanPostProcessor, Ordered {
        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!beanName.equals("account")) {
                return bean;
            }
            ProxyFactory factory = new ProxyFactory(bean);
            factory.addAdvice((MethodInterceptor) MethodInvocation::proceed);
            return factory.getProxy();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Contexts.Base.class, Classes.class})
    void lockIsInsideTheTransactionOfAProxyWithinAProxy(Class<?> proxies) {
        var context = Contexts.bare(database, proxies, Wrapped.class);
        Account account = context.getBean(Account.class);
        assertThat(account.seen(1)).isOne();
        assertThat(context.getBean(LockChains.class).usages())
                .extracting(Usage::method)
                .containsExactly("Service.seen(int)");
    }

    /** An interface whose bean is a JDK proxy, as beans of MyBatis and of HTTP clients are. */
    interface Mapper {
        @RowLock(table = "account", id = "#id")
        int locksOf(int id);
    }

    static class MapperFactory extends Probing implements FactoryBean<Mapper> {
        @Override
        public Mapper getObject() {
            InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
                case "locksOf" -> probe.locks();
                case "hashCode" -> 1;
                case "equals" -> proxy == arguments[0];
                default -> "mapper";
            };
            return (Mapper) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Mapper.class}, handler);
        }

        @Override
        public Class<?> getObjectType() {
            return Mapper.class;
        }
    }

    @Test
    void proxiesThatAreNotSpringsAreLockedByTheirInterface() {
        var context = Contexts.start(database, MapperFactory.class);
        Mapper mapper = context.getBean(Mapper.class);
        TransactionTemplate transactions = context.transactions();
        assertThat(transactions.<Integer>execute(status -> mapper.locksOf(1))).isOne();
        assertThatThrownBy(() -> mapper.locksOf(1)).hasMessageContaining("Mapper.locksOf(int)");
    }

    /** A bean whose first initialization fails. */
    @Lazy
    static class Flaky extends Service implements InitializingBean {
        private static final AtomicInteger ATTEMPTS = new AtomicInteger();

        @Autowired
        Friend friend;

        @Override
        public void afterPropertiesSet() {
            if (ATTEMPTS.getAndIncrement() == 0) {
                throw new IllegalStateException("not yet");
            }
        }
    }

    @Lazy
    static class Friend {
        @Autowired
        Account account;
    }

    @Test
    void earlyReferenceOfAFailedBeanIsForgotten() {
        Flaky.ATTEMPTS.set(0);
        var context = Contexts.start(database, Flaky.class, Friend.class);
        assertThatThrownBy(() -> context.getBean(Flaky.class)).hasRootCauseMessage("not yet");
        // This time the other bean is created first, so no early reference is needed.
        Friend friend = context.getBean(Friend.class);
        assertThat(friend.account.seen(1)).isOne();
    }

    static class New extends Probing {
        public int seen(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    static TransactionInterceptor inNew(PlatformTransactionManager manager) {
        MatchAlwaysTransactionAttributeSource source = new MatchAlwaysTransactionAttributeSource();
        source.setTransactionAttribute(new org.springframework.transaction.interceptor.DefaultTransactionAttribute(
                Propagation.REQUIRES_NEW.value()));
        return new TransactionInterceptor((TransactionManager) manager, source);
    }

    static class Opaque {
        @Bean
        New service(PlatformTransactionManager manager) {
            ProxyFactory factory = new ProxyFactory(new New());
            factory.setProxyTargetClass(true);
            factory.setOpaque(true);
            factory.addAdvice(inNew(manager));
            return (New) factory.getProxy();
        }
    }

    @Test
    void opaqueProxyIsRefused() {
        assertThatThrownBy(() -> Contexts.start(database, Opaque.class))
                .hasRootCauseInstanceOf(RowLockDefinitionException.class)
                .hasStackTraceContaining("opaque");
    }

    static class OpaqueAround {
        @Bean
        New service() {
            return new New();
        }

        @Bean
        TransactionInterceptor transactions(PlatformTransactionManager manager) {
            return inNew(manager);
        }

        @Bean
        static BeanNameAutoProxyCreator creator() {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("service");
            creator.setInterceptorNames("transactions");
            creator.setProxyTargetClass(true);
            creator.setOpaque(true);
            creator.setOrder(0);
            return creator;
        }
    }

    /** The locking proxy is inside the opaque proxy, and therefore inside the transaction of the opaque proxy. */
    @Test
    void opaqueProxyAroundThatWhichLocksIsNoObstacle() {
        var context = Contexts.start(database, OpaqueAround.class);
        assertThat(context.getBean(New.class).seen(1)).isOne();
    }

    interface Listening {
        int seen(int id);

        void on(String event);
    }

    static class Listener extends Probing implements Listening {
        private int heard;

        @Override
        public int seen(@RowLock("account") int id) {
            return probe.locks();
        }

        @Override
        @EventListener
        public void on(String event) {
            heard++;
        }
    }

    static class Listeners {
        @Bean
        Listening listener() {
            return new Listener();
        }
    }

    @EnableTransactionManagement(proxyTargetClass = true)
    @EnableRowLocks
    @Import(CountableLocks.class)
    static class Classes {}

    @Test
    void proxyWithoutATransactionIsOfTheKindOfTheOthersAndHidesNoOtherAnnotation() {
        var interfaces = Contexts.start(database, Listener.class);
        var classes = Contexts.bare(database, Classes.class, Listener.class);
        interfaces.publishEvent("hello");
        assertThat(((Listener) interfaces.target(Listening.class)).heard).isOne();
        assertThat(classes.getBean(Listener.class)).isNotNull();
    }

    /** The control of the test above. */
    @Test
    void interfaceProxyStaysTheDefault() {
        var context = Contexts.start(database, Listeners.class);
        assertThat(Proxy.isProxyClass(context.getBean(Listening.class).getClass()))
                .isTrue();
    }

    static class Named {
        @Transactional
        public void of(@RowLock("account") @Nullable Integer id) {}
    }

    /**
     * Adds an advisor to each bean, as method validation does. This post-processor is declared after Rowlock's
     * post-processor.
     */
    static class Validation extends AbstractAdvisingBeanPostProcessor {
        @Serial
        private static final long serialVersionUID = 1;

        Validation() {
            advisor = new DefaultPointcutAdvisor((MethodInterceptor) invocation -> {
                if (invocation.getArguments().length == 1 && invocation.getArguments()[0] == null) {
                    throw new UnsupportedOperationException("must not be null");
                }
                return invocation.proceed();
            });
        }

        @Override
        protected boolean isEligible(Class<?> targetClass) {
            return targetClass == Named.class;
        }
    }

    @Test
    void validationComesBeforeTheLock() {
        Named named = Contexts.start(database, Named.class, Validation.class).getBean(Named.class);
        assertThatThrownBy(() -> named.of(null)).isInstanceOf(UnsupportedOperationException.class);
    }

    static class Stocked extends Probing {
        @Transactional
        public int seen(int id) {
            return probe.locks();
        }
    }

    interface LockedAccount {
        int seen(@RowLock("account") int id);
    }

    /** Inherits the method from a class that does not implement the interface. */
    static class InheritingLocked extends Stocked implements LockedAccount {}

    static class StockedBy<T> extends Probing {
        @Transactional
        public int found(T id) {
            return probe.locks();
        }
    }

    interface Found {
        int found(@RowLock("account") Integer id);
    }

    interface LockedByNumber extends Found {}

    /**
     * Inherits the method from a class that does not implement the interface, and that does not bind the type variable.
     */
    static class BindingLocked extends StockedBy<Integer> implements LockedByNumber {}

    static class StockedByNumber extends Probing {
        @Transactional
        public int counted(Integer id) {
            return probe.locks();
        }
    }

    interface LockedByAnything<T> {
        @RowLock(table = "account", id = "#p0")
        int counted(T id);
    }

    /** Binds the type variable of an interface, and inherits the method from a superclass. */
    static class BindingByItself extends StockedByNumber implements LockedByAnything<Integer> {}

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @SuppressWarnings("unchecked")
    void aMethodThatASuperclassImplementsLocksAsItsInterfaceSays(boolean byClass) {
        var context = Contexts.start(
                database,
                beans -> {
                    beans.addBeanFactoryPostProcessor(factory -> {
                        if (byClass) {
                            AopConfigUtils.registerAutoProxyCreatorIfNecessary((BeanDefinitionRegistry) factory);
                            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying((BeanDefinitionRegistry) factory);
                        }
                    });
                },
                InheritingLocked.class,
                BindingLocked.class,
                BindingByItself.class);
        assertThat(context.getBean(LockedAccount.class).seen(1)).isPositive();
        assertThat(context.getBean(LockedByNumber.class).found(1)).isPositive();
        LockedByAnything<Integer> binding = context.getBean(LockedByAnything.class);
        assertThat(binding.counted(1)).isPositive();
    }

    /** For example, some clients of remote services are proxies that do not implement equals. */
    @Test
    void beansThatDoNotServeEqualsAreLeftAlone() {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getName().equals("equals")) {
                throw new UnsupportedOperationException("equals");
            }
            return method.getReturnType() == int.class ? (Object) 1 : "remote";
        };
        var context = Contexts.start(
                database,
                beans -> beans.registerBean("remote", Account.class, () -> (Account) Proxy.newProxyInstance(
                        Account.class.getClassLoader(), new Class<?>[] {Account.class}, handler)));
        assertThat(context.getBean(Account.class).seen(1)).isOne();
    }

    @Test
    void packagesThatBeginAsSpringsOwnLockToo() {
        var context = Contexts.start(database, Clinic.class);
        assertThat(context.getBean(Clinic.class).locks(1)).isPositive();
    }

    interface Store<T> {
        int seen(@RowLock("account") T id);
    }

    static class Accounts extends Probing implements Store<Integer> {
        @Override
        @Transactional
        public int seen(Integer id) {
            return probe.locks();
        }
    }

    @Test
    void aMethodOfAGenericInterfaceIsListedOnce() {
        var context = Contexts.start(database, Accounts.class);
        @SuppressWarnings("unchecked")
        Store<Integer> accounts = context.getBean(Store.class);
        assertThat(accounts.seen(1)).isOne();
        assertThat(context.getBean(LockChains.class).usages())
                .extracting(Usage::method)
                .containsExactly("Accounts.seen(Integer)");
    }

    /** A post-processor, which Spring creates early together with the beans that the post-processor needs. */
    static class Eager implements BeanPostProcessor {
        Eager(Service service) {}
    }

    /** The bean already has a proxy at that time, and Rowlock completes the proxy at startup. */
    @Test
    void aBeanThatAPostProcessorNeedsLocks() {
        var context = Contexts.start(database, Classes.class, Service.class, Eager.class);
        assertThat(context.getBean(Service.class).seen(1)).isOne();
        assertThat(context.getBean(LockChains.class).usages()).hasSize(1);
    }

    /** A post-processor that is created before the post-processor that creates proxies. */
    static class First extends Eager implements PriorityOrdered {
        First(Service service) {
            super(service);
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    static class MadeFirst {
        @Bean
        static Service service() {
            return new Service();
        }

        @Bean
        static First first(Service service) {
            return new First(service);
        }
    }

    @Test
    void aBeanThatIsMadeBeforeAllProxiesIsSaidToLockNothing() {
        assertBadDefinition(() -> Contexts.start(
                        database,
                        beans -> Contexts.settings(beans, new TestSettings().unlockedMethods(Reaction.FAIL)),
                        Classes.class,
                        MadeFirst.class))
                .hasMessageContainingAll("Service.seen(int)", "locks nothing", "BeanPostProcessor", "ObjectProvider");
    }

    /** As with {@code @MockitoBean}, a test registers a mock as the bean of a definition. Only a spy runs real methods. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMockNeedNotLock(boolean spied) {
        Service mock = spied ? Mockito.spy(new Service()) : Mockito.mock(Service.class);
        ThrowingCallable start = () -> Contexts.start(
                database,
                beans -> {
                    Contexts.settings(beans, new TestSettings().unlockedMethods(Reaction.FAIL));
                    beans.registerBean("service", Service.class);
                    beans.getBeanFactory().registerSingleton("service", mock);
                },
                Classes.class);
        if (spied) {
            assertThatThrownBy(start).hasMessageContainingAll("Service.seen(int)", "locks nothing");
        } else {
            assertThatCode(start).doesNotThrowAnyException();
        }
    }
}
