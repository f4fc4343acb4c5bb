package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.Probe;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Several transaction managers, suspended transactions and long timeouts. */
@Tag("long")
class TransactionEdgesTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    static class Service {
        private final Probe probe;

        Service(Probe probe) {
            this.probe = probe;
        }

        @Transactional("orders")
        public int ofOrders(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    /** Two DataSources, neither of them primary. */
    @Configuration(proxyBeanMethods = false)
    static class Two {
        @Bean
        PlatformTransactionManager orders(DataSource ordersPool) {
            return new JdbcTransactionManager(ordersPool);
        }

        @Bean
        PlatformTransactionManager reports(DataSource reportsPool) {
            return new JdbcTransactionManager(reportsPool);
        }

        @Bean
        Probe probe(DataSource ordersPool) {
            return new Probe(new JdbcTemplate(ordersPool));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfOrders {
        @Bean
        Service service(Probe probe) {
            return new Service(probe);
        }
    }

    private AnnotationConfigApplicationContext two(Class<?>... components) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean("ordersPool", DataSource.class, () -> Contexts.pool(database));
        context.registerBean("reportsPool", DataSource.class, () -> Contexts.pool(database));
        context.register(Contexts.Base.class, Two.class);
        context.register(components);
        context.refresh();
        return context;
    }

    private static TransactionTemplate transactions(AnnotationConfigApplicationContext context, String manager) {
        return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
    }

    @Test
    void readOnlyTransactionOfAnotherDataSourceIsNoObstacle() {
        try (var context = two(OfOrders.class)) {
            TransactionTemplate reading = transactions(context, "reports");
            reading.setReadOnly(true);
            assertThat(reading.<Integer>execute(
                            status -> context.getBean(Service.class).ofOrders(1)))
                    .isOne();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Configured {
        @Bean
        RowLocks rowLocks() {
            return LockAccess.builder()
                    .strategy("account", LockStrategy.ADVISORY)
                    .build();
        }
    }

    @Test
    void configuredTablesNeedNoPrimaryDataSource() {
        try (var context = two(OfOrders.class, Configured.class)) {
            assertThat(context.getBean(Service.class).ofOrders(1)).isOne();
        }
    }

    static class Plain {
        private final Probe probe;

        Plain(Probe probe) {
            this.probe = probe;
        }

        @Transactional
        public int seen(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfPlain {
        @Bean
        Plain plain(Probe probe) {
            return new Plain(probe);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByConfigurer implements TransactionManagementConfigurer {
        private final PlatformTransactionManager orders;

        ByConfigurer(PlatformTransactionManager orders) {
            this.orders = orders;
        }

        @Override
        public PlatformTransactionManager annotationDrivenTransactionManager() {
            return orders;
        }
    }

    @Test
    void transactionManagerOfTheInterceptorCounts() {
        try (var context = two(OfPlain.class, ByConfigurer.class)) {
            assertThat(context.getBean(Plain.class).seen(1)).isOne();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoInterceptors {
        @Bean
        Service service(Probe probe) {
            return new Service(probe);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor transactionsOfReports(BeanFactory beans) {
            DefaultTransactionAttribute ofReports = new DefaultTransactionAttribute();
            ofReports.setQualifier("reports");
            MatchAlwaysTransactionAttributeSource always = new MatchAlwaysTransactionAttributeSource();
            always.setTransactionAttribute(ofReports);
            TransactionInterceptor interceptor = new TransactionInterceptor();
            interceptor.setTransactionAttributeSource(always);
            interceptor.setBeanFactory(beans);
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("ofOrders");
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, interceptor);
            advisor.setOrder(0);
            return advisor;
        }
    }

    /** The chain is: transaction of reports, then that of orders, which the method itself names. */
    @Test
    void innermostTransactionIsTheOneThatHoldsTheLock() {
        try (var context = two(TwoInterceptors.class)) {
            Service service = context.getBean(Service.class);
            assertThat(((Advised) service).getAdvisors())
                    .filteredOn(advisor -> advisor.getAdvice() instanceof TransactionInterceptor)
                    .hasSize(2);
            assertThat(service.ofOrders(1)).isOne();
        }
    }

    static class Endless {
        private final Probe probe;

        Endless(Probe probe) {
            this.probe = probe;
        }

        @Transactional(timeout = Integer.MAX_VALUE)
        public int seen(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfEndless {
        @Bean
        Endless endless(Probe probe) {
            return new Endless(probe);
        }
    }

    @Test
    void timeoutBeyondWhatTheServerCanCountIsForever() {
        try (var context = Contexts.start(database, Contexts.Base.class, OfEndless.class)) {
            assertThat(context.getBean(Endless.class).seen(1)).isOne();
        }
    }

    static class Counting {
        private final Supplier<SpringLocks> locks;

        Counting(Supplier<SpringLocks> locks) {
            this.locks = locks;
        }

        @Transactional
        public int queues(@RowLock("account") int id) {
            return LockAccess.of(locks.get().locks()).admission().keysInUse();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfCounting {
        @Bean
        Counting counting(org.springframework.beans.factory.ObjectProvider<SpringLocks> locks) {
            return new Counting(locks::getObject);
        }
    }

    /** A scope without a transaction, as a facade has it, is no reason not to queue: there is nothing to hold. */
    @Test
    void aFacadeWithoutATransactionDoesNotSwitchTheQueueOff() {
        try (var context = Contexts.start(database, Contexts.Base.class, OfCounting.class)) {
            Counting counting = context.getBean(Counting.class);
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            TransactionTemplate supports = new TransactionTemplate(manager);
            supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
            assertThat(supports.<Integer>execute(status -> counting.queues(1))).isOne();
            TransactionTemplate suspending = new TransactionTemplate(manager);
            suspending.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
            assertThat(suspending.<Integer>execute(status -> counting.queues(1)))
                    .as("nothing is suspended")
                    .isOne();
            Integer inner = new TransactionTemplate(manager)
                    .execute(status -> suspending.<Integer>execute(
                            none -> supports.<Integer>execute(facade -> counting.queues(1))));
            assertThat(inner).as("in a facade while a transaction is suspended").isZero();
            assertThat(counting.queues(1)).as("when it has ended").isOne();
        }
    }

    /** While it queued, its connection would be one that the pool lacks. */
    @Test
    void aFacadeThatHasReadSomethingDoesNotQueue() {
        try (var context = Contexts.start(database, Contexts.Base.class, OfCounting.class)) {
            Counting counting = context.getBean(Counting.class);
            RowLockTemplate template = context.getBean(RowLockTemplate.class);
            Probe probe = context.getBean(Probe.class);
            TransactionTemplate supports = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
            List<Integer> inUse = supports.execute(status -> {
                assertThat(probe.balance(1)).isZero();
                return List.of(
                        counting.queues(1),
                        template.inTransaction(forNoKeyUpdate(LockKey.row("account", 1)), () -> counting.queues(1)));
            });
            assertThat(inUse).containsExactly(0, 0);
            assertThat(counting.queues(1)).as("when it has ended").isOne();
        }
    }

    static class Telling {
        private final ApplicationEventPublisher events;
        private final Supplier<SpringLocks> locks;
        private int inUse = -1;

        Telling(ApplicationEventPublisher events, ObjectProvider<SpringLocks> locks) {
            this.events = events;
            this.locks = locks::getObject;
        }

        @Transactional
        public void tell(@RowLock("account") int id) {
            assertThat(LockAccess.of(locks.get().locks()).admission().keysInUse())
                    .isOne();
            events.publishEvent("told");
        }

        @TransactionalEventListener
        public void on(String event) {
            inUse = LockAccess.of(locks.get().locks()).admission().keysInUse();
        }
    }

    @Test
    void theTurnIsGivenBackBeforeListenersBehindTheCommitRun() {
        try (var context = Contexts.start(database, Contexts.Base.class, Telling.class)) {
            Telling telling = context.getBean(Telling.class);
            telling.tell(1);
            Telling target = (Telling) AopTestUtils.getUltimateTargetObject(telling);
            assertThat(target.inUse).isZero();
        }
    }

    /** The suspended transaction may hold locks that those in the queue wait for, which no server can see. */
    @Test
    void behindASuspendedTransactionNobodyQueues() {
        try (var context = Contexts.start(database, Contexts.Base.class, OfCounting.class)) {
            Counting counting = context.getBean(Counting.class);
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            TransactionTemplate suspending = new TransactionTemplate(manager);
            suspending.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
            assertThat(counting.queues(1)).isOne();
            assertThat(new TransactionTemplate(manager).<Integer>execute(outer -> {
                        context.getBean(RowLockTemplate.class).lock(forNoKeyUpdate(LockKey.row("account", 2)));
                        return suspending.<Integer>execute(suspended -> counting.queues(1));
                    }))
                    .isZero();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Told {
        private final List<Acquired> released = new ArrayList<>();

        record Acquired(List<LockKey> keys) {}

        @Bean
        ObservationRegistry observations() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<LockObservationContext>() {
                @Override
                public void onStart(LockObservationContext lock) {
                    lock.onReleased(held -> released.add(new Acquired(lock.keys())));
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return context instanceof LockObservationContext;
                }
            });
            return registry;
        }
    }

    @Test
    void onlyWhatWasHeldIsToldAsReleased() throws Exception {
        try (var context = Contexts.start(database, Contexts.Base.class, Told.class)) {
            RowLockTemplate template = context.getBean(RowLockTemplate.class);
            LockKey one = LockKey.row("account", 1);
            LockKey two = LockKey.row("account", 2);
            Session other = database.session("other");
            other.run(connection -> LockAccess.builder().build().in(connection).lock(forUpdate(one)));
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                assertThat(template.tryLock(forNoKeyUpdate(one)).isHeld()).isFalse();
                assertThat(template.tryLock(forNoKeyUpdate(two)).isHeld()).isTrue();
            });
            assertThat(context.getBean(Told.class).released).containsExactly(new Told.Acquired(List.of(two)));
        }
    }

    /** When an observer throws. */
    enum Fault {
        BEFORE,
        BEFORE_THE_QUEUE,
        AFTER,
        AFTER_THE_QUEUE,
        RELEASED
    }

    private static ObservationRegistry faulty(Fault fault) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<LockObservationContext>() {
            @Override
            public void onStart(LockObservationContext lock) {
                if (fault == (lock.isQueue() ? Fault.BEFORE_THE_QUEUE : Fault.BEFORE)) {
                    throw new IllegalStateException("an observer's own");
                }
                lock.onReleased(held -> {
                    if (fault == Fault.RELEASED) {
                        throw new IllegalStateException("an observer's own");
                    }
                });
            }

            @Override
            public void onStop(LockObservationContext lock) {
                if (fault == (lock.isQueue() ? Fault.AFTER_THE_QUEUE : Fault.AFTER)) {
                    throw new AssertionError("an observer's own");
                }
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof LockObservationContext;
            }
        });
        return registry;
    }

    @ParameterizedTest
    @EnumSource
    void anObserverNeverChangesWhatHappens(Fault fault) throws Exception {
        try (var context = RowLockTests.start(
                beans -> {
                    beans.registerBean(com.zaxxer.hikari.HikariDataSource.class, () -> Contexts.pool(database));
                    beans.registerBean(ObservationRegistry.class, () -> faulty(fault));
                },
                Contexts.Jdbc.class,
                Contexts.Base.class)) {
            RowLockTemplate template = context.getBean(RowLockTemplate.class);
            Contexts.Probe probe = context.getBean(Contexts.Probe.class);
            LockKey one = LockKey.row("account", 1);
            assertThat(template.<Integer>inTransaction(forNoKeyUpdate(one), probe::locks))
                    .isOne();
            Session other = database.session("other");
            other.run(connection -> LockAccess.builder().build().in(connection).lock(forUpdate(one)));
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                assertThat(template.tryLock(forNoKeyUpdate(one)).isHeld()).isFalse();
                assertThatThrownBy(() -> template.lock(forShare(one).noWait()))
                        .isInstanceOf(CannotAcquireLockException.class);
            });
        }
    }

    /** The connection is still bound there, and a lock would be one of the transaction that has ended. */
    @Test
    void behindTheCommitNothingIsLockedInTheTransactionThatHasEnded() {
        try (var context = Contexts.start(database, Contexts.Base.class)) {
            RowLockTemplate template = context.getBean(RowLockTemplate.class);
            List<Throwable> thrown = new ArrayList<>();
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(outer ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCompletion(int status) {
                                    try {
                                        template.lock(forNoKeyUpdate(LockKey.row("account", 1)));
                                    } catch (InvalidDataAccessApiUsageException e) {
                                        thrown.add(e);
                                    }
                                }
                            }));
            assertThat(thrown)
                    .singleElement()
                    .satisfies(failure -> assertThat(failure)
                            .hasMessageContainingAll("RowLockTemplate", "has ended", "AFTER_COMMIT", "REQUIRES_NEW"));
        }
    }

    @Test
    void noKeysAreRefusedWithWords() {
        try (var context = Contexts.start(database, Contexts.Base.class)) {
            RowLockTemplate template = context.getBean(RowLockTemplate.class);
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> transactions.execute(status -> template.lock(forNoKeyUpdate(List.of()))))
                    .withMessageContaining("keys");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> template.inTransaction(forUpdate(List.of()), () -> 1))
                    .withMessageContaining("keys are empty");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> transactions.execute(status -> template.lock(forNoKeyUpdate(nothing()))))
                    .withMessageContaining("key");
        }
    }

    @SuppressWarnings("NullAway")
    private static LockKey nothing() {
        return null;
    }
}
