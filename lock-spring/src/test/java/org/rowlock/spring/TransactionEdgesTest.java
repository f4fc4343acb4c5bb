package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;
import static org.mockito.Mockito.mock;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;
import static org.rowlock.spring.RowLockTests.assertNotAcquired;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.observation.ObservationRegistry;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.UserTransaction;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.Probe;
import org.rowlock.spring.Contexts.Probing;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks several transaction managers, suspended transactions and long timeouts. */
@Tag("long")
class TransactionEdgesTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    static class Service extends Probing {
        @Transactional("orders")
        public int ofOrders(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    /** Two DataSources, neither of them primary. */
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

    private TestContext two(Class<?>... components) {
        return RowLockTests.start(
                database,
                beans -> {
                    beans.registerBean("ordersPool", DataSource.class, () -> Contexts.pool(database));
                    beans.registerBean("reportsPool", DataSource.class, () -> Contexts.pool(database));
                    beans.register(Contexts.Base.class, Two.class);
                },
                components);
    }

    @Test
    void readOnlyTransactionOfAnotherDataSourceIsNoObstacle() {
        var context = two(Service.class);
        TransactionTemplate reading =
                new TransactionTemplate(context.getBean("reports", PlatformTransactionManager.class));
        reading.setReadOnly(true);
        assertThat(reading.<Integer>execute(
                        status -> context.getBean(Service.class).ofOrders(1)))
                .isOne();
    }

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
        var context = two(Service.class, Configured.class);
        assertThat(context.getBean(Service.class).ofOrders(1)).isOne();
    }

    static class Plain extends Probing {
        @Transactional
        public int seen(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    record ByConfigurer(PlatformTransactionManager orders) implements TransactionManagementConfigurer {
        @Override
        public PlatformTransactionManager annotationDrivenTransactionManager() {
            return orders;
        }
    }

    @Test
    void transactionManagerOfTheInterceptorCounts() {
        var context = two(Plain.class, ByConfigurer.class);
        assertThat(context.getBean(Plain.class).seen(1)).isOne();
    }

    static class TwoInterceptors {
        @Bean
        Service service() {
            return new Service();
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

    /**
     * The outer interceptor begins a transaction of reports. The inner interceptor begins a transaction of orders,
     * whose manager the method names.
     */
    @Test
    void innermostTransactionIsTheOneThatHoldsTheLock() {
        Service service = two(TwoInterceptors.class).getBean(Service.class);
        assertThat(((Advised) service).getAdvisors())
                .filteredOn(advisor -> advisor.getAdvice() instanceof TransactionInterceptor)
                .hasSize(2);
        assertThat(service.ofOrders(1)).isOne();
    }

    static class Endless extends Probing {
        @Transactional(timeout = Integer.MAX_VALUE)
        public int seen(@RowLock("account") int id) {
            return probe.locks();
        }
    }

    @Test
    void timeoutBeyondWhatTheServerCanCountIsForever() {
        var context = Contexts.start(database, Endless.class);
        assertThat(context.getBean(Endless.class).seen(1)).isOne();
    }

    static class Counting {
        @Autowired
        BeanFactory beans;

        @Transactional
        public int queues(@RowLock("account") int id) {
            return TestContext.queues(beans).keysInUse();
        }
    }

    /** A scope without a transaction, as in a facade, holds no locks, so a call in such a scope can queue. */
    @Test
    void aFacadeWithoutATransactionDoesNotSwitchTheQueueOff() {
        var context = Contexts.start(database, Counting.class);
        Counting counting = context.getBean(Counting.class);
        TransactionTemplate supports = context.transactions(Propagation.SUPPORTS);
        assertThat(supports.<Integer>execute(status -> counting.queues(1))).isOne();
        TransactionTemplate suspending = context.transactions(Propagation.NOT_SUPPORTED);
        assertThat(suspending.<Integer>execute(status -> counting.queues(1)))
                .as("nothing is suspended")
                .isOne();
        Integer inner = context.transactions()
                .execute(status ->
                        suspending.<Integer>execute(none -> supports.<Integer>execute(facade -> counting.queues(1))));
        assertThat(inner).as("in a facade while a transaction is suspended").isZero();
        assertThat(counting.queues(1)).as("when it has ended").isOne();
    }

    /** The scope already has a connection. While the call queued, this connection would be missing in the pool. */
    @Test
    void aFacadeThatHasReadSomethingDoesNotQueue() {
        var context = Contexts.start(database, Counting.class);
        Counting counting = context.getBean(Counting.class);
        RowLockTemplate template = context.template();
        Probe probe = context.getBean(Probe.class);
        TransactionTemplate supports = context.transactions(Propagation.SUPPORTS);
        List<Integer> inUse = supports.execute(status -> {
            assertThat(probe.balance(1)).isZero();
            return List.of(
                    counting.queues(1),
                    template.inTransaction(forNoKeyUpdate(LockKey.row("account", 1)), () -> counting.queues(1)));
        });
        assertThat(inUse).containsExactly(0, 0);
        assertThat(counting.queues(1)).as("when it has ended").isOne();
    }

    /**
     * With open-in-view a session outlives its transactions, and keeps its connection. While such calls queued, the
     * caller at the head of the queue could wait in vain for a connection of the pool.
     */
    @Test
    void aViewThatHasReadSomethingDoesNotQueue() {
        HikariDataSource pool = Contexts.pool(database);
        var context = Contexts.jpa(database, pool, new Unit(Account.class), beans -> {}, Counting.class);
        Counting counting = context.getBean(Counting.class);
        EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
        try (EntityManager view = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
            assertThat(counting.queues(1)).as("without a connection").isOne();
            assertThat(view.find(Account.class, 1L)).isNotNull();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isOne();
            assertThat(counting.queues(1)).as("with a connection").isZero();
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
        }
        assertThat(counting.queues(1)).as("when the view has ended").isOne();
    }

    /** The timeout ends the time in the queue, as a timeout of the annotation does. */
    @Test
    void theDefaultTimeoutOfTheManagerEndsTheQueueToo() throws Exception {
        RowLocks locks = LockAccess.builder().maxAdmittedPerKey(1).build();
        var context = Contexts.start(database, beans -> Contexts.locks(beans, locks), Counting.class);
        RowLockTemplate template = context.template();
        LockRequest one = forNoKeyUpdate(LockKey.row("account", 1));
        CompletableFuture<Void> inside = new CompletableFuture<>();
        CompletableFuture<Void> leave = new CompletableFuture<>();
        CompletableFuture<Void> holder = Blocking.run(() -> template.inTransaction(one, () -> {
            inside.complete(null);
            return leave.join();
        }));
        TestDatabase.result(inside);
        context.getBean(JdbcTransactionManager.class).setDefaultTimeout(1);
        for (Runnable call : List.<Runnable>of(
                () -> context.getBean(Counting.class).queues(1), () -> template.inTransaction(one, () -> 1))) {
            assertNotAcquired(call::run).hasMessageContaining("the wait is over: atMost 1s");
        }
        leave.complete(null);
        TestDatabase.result(holder);
    }

    static class Telling {
        @Autowired
        ApplicationContext beans;

        private int inUse = -1;

        @Transactional
        public void tell(@RowLock("account") int id) {
            assertThat(TestContext.queues(beans).keysInUse()).isOne();
            beans.publishEvent("told");
        }

        @TransactionalEventListener
        public void on(String event) {
            inUse = TestContext.queues(beans).keysInUse();
        }
    }

    @Test
    void theTurnIsGivenBackBeforeListenersBehindTheCommitRun() {
        var context = Contexts.start(database, Telling.class);
        context.getBean(Telling.class).tell(1);
        assertThat(context.target(Telling.class).inUse).isZero();
    }

    /**
     * The suspended transaction may hold locks for which calls in the queue wait. The server could not detect the
     * resulting deadlock.
     */
    @Test
    void behindASuspendedTransactionNobodyQueues() {
        var context = Contexts.start(database, Counting.class);
        Counting counting = context.getBean(Counting.class);
        TransactionTemplate suspending = context.transactions(Propagation.NOT_SUPPORTED);
        assertThat(counting.queues(1)).isOne();
        assertThat(context.transactions().<Integer>execute(outer -> {
                    context.template().lock(forNoKeyUpdate(LockKey.row("account", 2)));
                    return suspending.<Integer>execute(suspended -> counting.queues(1));
                }))
                .isZero();
    }

    @Test
    void onlyWhatWasHeldIsToldAsReleased() throws Exception {
        List<String> released = new ArrayList<>();
        ObservationRegistry registry = Contexts.observing(any -> {}, any -> {
            if (any.getName().equals("rowlock.hold")) {
                released.add(any.getContextualName());
            }
        });
        var context = startObserved(registry);
        RowLockTemplate template = context.template();
        LockKey one = LockKey.row("account", 1);
        LockKey two = LockKey.row("account", 2);
        Session other = RowLockTests.holder(database, one);
        context.inTransaction(status -> {
            assertThat(template.tryLock(forNoKeyUpdate(one)).isHeld()).isFalse();
            assertThat(template.tryLock(forNoKeyUpdate(two)).isHeld()).isTrue();
        });
        assertThat(released).containsExactly("hold account");
    }

    private TestContext startObserved(ObservationRegistry registry) {
        return Contexts.start(database, beans -> beans.registerBean(ObservationRegistry.class, () -> registry));
    }

    /** The moment at which an observer throws an exception. */
    enum Fault {
        BEFORE("rowlock.acquire"),
        BEFORE_THE_QUEUE("rowlock.admission"),
        BEFORE_THE_HOLD("rowlock.hold"),
        AFTER("rowlock.acquire"),
        AFTER_THE_QUEUE("rowlock.admission"),
        RELEASED("rowlock.hold");

        private final String observation;

        Fault(String observation) {
            this.observation = observation;
        }
    }

    private static ObservationRegistry faulty(Fault fault) {
        boolean isAtTheStart = fault.name().startsWith("BEFORE");
        return Contexts.observing(
                any -> {
                    if (isAtTheStart && any.getName().equals(fault.observation)) {
                        throw new IllegalStateException("an observer's own");
                    }
                },
                any -> {
                    if (!isAtTheStart && any.getName().equals(fault.observation)) {
                        throw new AssertionError("an observer's own");
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void anObserverNeverChangesWhatHappens(Fault fault) throws Exception {
        var context = startObserved(faulty(fault));
        RowLockTemplate template = context.template();
        Contexts.Probe probe = context.getBean(Contexts.Probe.class);
        LockKey one = LockKey.row("account", 1);
        assertThat(template.<Integer>inTransaction(forNoKeyUpdate(one), probe::locks))
                .isOne();
        Session other = RowLockTests.holder(database, one);
        context.inTransaction(status -> {
            assertThat(template.tryLock(forNoKeyUpdate(one)).isHeld()).isFalse();
            assertNotAcquired(() -> template.lock(forShare(one).noWait()));
        });
    }

    /** After the commit the connection is still bound to the thread, although the transaction has ended. */
    @Test
    void behindTheCommitNothingIsLockedInTheTransactionThatHasEnded() {
        var context = Contexts.start(database);
        List<Throwable> thrown = new ArrayList<>();
        context.inTransaction(outer -> TestContext.afterCompletion(status ->
                thrown.add(catchThrowable(() -> context.template().lock(forNoKeyUpdate(LockKey.row("account", 1)))))));
        assertThat(thrown)
                .singleElement(THROWABLE)
                .isInstanceOf(InvalidDataAccessApiUsageException.class)
                .hasMessageContainingAll("RowLockTemplate", "has ended", "AFTER_COMMIT", "REQUIRES_NEW");
    }

    /** A wrapper of a transaction manager, which does not report executions to listeners. */
    private record Wrapper(PlatformTransactionManager manager) implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return manager.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            manager.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            manager.rollback(status);
        }
    }

    private TestContext wrapped() {
        return Contexts.start(
                database,
                beans -> beans.registerBean(
                        "transactionManager",
                        PlatformTransactionManager.class,
                        () -> new Wrapper(new JdbcTransactionManager(beans.getBean(DataSource.class)))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void behindTheEndAnotherTransactionCanLockTheRowUnderAWrapperToo(boolean rollsBack) {
        var context = wrapped();
        LockRequest one = forNoKeyUpdate(LockKey.row("account", 1)).noWait();
        List<Throwable> thrown = new ArrayList<>();
        context.inTransaction(outer -> {
            context.template().lock(one);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    thrown.add(catchThrowable(() -> context.template().lock(one)));
                    afterCompletion(STATUS_COMMITTED);
                }

                @Override
                public void afterCompletion(int status) {
                    context.transactions(Propagation.REQUIRES_NEW)
                            .executeWithoutResult(inner -> context.template().lock(one));
                }
            });
            if (rollsBack) {
                outer.setRollbackOnly();
            }
        });
        assertThat(thrown)
                .hasSize(rollsBack ? 0 : 1)
                .allSatisfy(each -> assertThat(each).hasMessageContaining("has ended"));
    }

    @Test
    void aRefusedLockDoesNotFailTheCommitUnderAWrapper() {
        var context = wrapped();
        TransactionTemplate reading = context.transactions();
        reading.setReadOnly(true);
        reading.executeWithoutResult(status -> assertThatThrownBy(
                        () -> context.template().lock(forShare(LockKey.row("account", 1))))
                .hasMessageContaining("read-only"));
    }

    /**
     * A method that joins the ended transaction makes Spring's synchronization active again. Rowlock still knows after
     * a garbage collection that the transaction has ended.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void behindTheEndNothingIsLockedByAMethodThatJoinsTheTransaction(boolean rollsBack) {
        var context = Contexts.start(database, Counting.class);
        List<Throwable> thrown = new ArrayList<>();
        context.inTransaction(outer -> {
            TestContext.afterCompletion(status -> {
                WeakReference<Object> garbage = new WeakReference<>(new Object());
                while (garbage.get() != null) {
                    System.gc();
                }
                thrown.add(catchThrowable(() -> context.getBean(Counting.class).queues(1)));
                context.transactions(Propagation.REQUIRES_NEW)
                        .executeWithoutResult(inner -> context.template()
                                .lock(forNoKeyUpdate(LockKey.row("account", 1)).noWait()));
            });
            if (rollsBack) {
                outer.setRollbackOnly();
            }
        });
        assertThat(thrown)
                .singleElement(THROWABLE)
                .isInstanceOf(InvalidDataAccessApiUsageException.class)
                .hasMessageContainingAll("has ended", "AFTER_COMMIT", "REQUIRES_NEW");
    }

    /** A JTA manager binds no connection, so the lock could not be in its transaction. */
    @Test
    void jtaIsRefusedByName() {
        DataSource dataSource = database.dataSource();
        JtaTransactionManager jta = new JtaTransactionManager(mock(UserTransaction.class));
        RowLockTemplate template = RowLockTests.template(LockAccess.builder().build(), jta, dataSource);
        assertMisuse(() -> template.inTransaction(forUpdate(LockKey.row("account", 1)), () -> 1))
                .hasMessageContainingAll("is not one of", "JTA is not supported");
    }

    @Test
    void noKeysAreRefusedWithWords() {
        var context = Contexts.start(database);
        RowLockTemplate template = context.template();
        TransactionTemplate transactions = context.transactions();
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

    @SuppressWarnings("NullAway")
    private static LockKey nothing() {
        return null;
    }
}
