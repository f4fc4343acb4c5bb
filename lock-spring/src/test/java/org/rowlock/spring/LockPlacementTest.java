package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.spring.Contexts.Probe;
import org.rowlock.spring.Contexts.Probing;
import org.rowlock.testing.TestDatabase;
import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Checks that the lock is inside the method's transaction, and that the queue is before the transaction, with any other
 * interceptors in the chain.
 */
@Tag("long")
class LockPlacementTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    interface Account {
        int seen(int id);
    }

    /** Each method returns the number of locks that its own session holds. */
    static class Service extends Probing {
        @Transactional
        public int locksOf(@RowLock("account") int id) {
            return inTransaction();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public int ofNew(@RowLock("account") int id) {
            return inTransaction();
        }

        @Transactional(propagation = Propagation.NESTED)
        public int ofNested(@RowLock("account") int id) {
            return inTransaction();
        }

        @Transactional(propagation = Propagation.MANDATORY)
        public int ofMandatory(@RowLock("account") int id) {
            return inTransaction();
        }

        @Async
        @Transactional
        public CompletableFuture<Integer> later(@RowLock("account") int id) {
            return CompletableFuture.completedFuture(inTransaction());
        }

        @Cacheable("seen")
        @Transactional
        public int cached(@RowLock("account") int id) {
            return inTransaction();
        }

        public int locksWithout(@RowLock("account") int id) {
            return probe.locks();
        }

        private int inTransaction() {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            return probe.locks();
        }
    }

    @Transactional
    static class OfClass extends Probing implements Account {
        @Override
        @RowLock(table = "account", id = "#id")
        public int seen(int id) {
            return probe.locks();
        }
    }

    @EnableRowLocks
    @Import({CountableLocks.class, Service.class, OfClass.class})
    static class Services {}

    @EnableTransactionManagement
    static class Default {}

    @EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
    static class TransactionsFirst {}

    @EnableTransactionManagement(proxyTargetClass = true, order = 0)
    static class OfClasses {}

    @EnableTransactionManagement
    @EnableAsync
    @EnableCaching
    static class Crowded {
        @Bean
        CacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }

        /** An advisor of another library, with the lowest precedence. */
        @Bean
        DefaultPointcutAdvisor last() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("*");
            DefaultPointcutAdvisor advisor =
                    new DefaultPointcutAdvisor(pointcut, (MethodBeforeAdvice) (method, arguments, target) -> {});
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE);
            return advisor;
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Default.class, TransactionsFirst.class, OfClasses.class, Crowded.class})
    void lockIsInsideTheTransactionWhateverTheOrder(Class<?> configuration) {
        var context = Contexts.bare(database, configuration, Services.class);
        Service service = context.getBean(Service.class);
        Probe probe = context.getBean(Probe.class);
        assertThat(service.locksOf(1)).isOne();
        assertThat(service.ofNew(1)).isOne();
        assertThat(service.ofNested(1)).isOne();
        assertThat(context.getBean(Account.class).seen(1)).isOne();
        assertThat(probe.locks()).isZero();
        List<Integer> inOne = context.transactions()
                .execute(status -> List.of(
                        service.ofMandatory(1),
                        service.locksOf(1),
                        // a separate transaction, and a separate connection
                        service.ofNew(2),
                        service.ofNested(2)));
        assertThat(inOne).containsExactly(1, 1, 1, 2);
        assertThat(probe.locks()).isZero();
        assertThat(context.queues().keysInUse()).isZero();
    }

    @Test
    void asyncCachedAndForeignAdvisorsGoTogether() throws Exception {
        Service service = Contexts.bare(database, Crowded.class, Services.class).getBean(Service.class);
        assertThat(TestDatabase.result(service.later(1))).isOne();
        assertThat(service.cached(1)).isOne();
        assertThat(service.cached(1)).isOne();
        List<String> chain = Stream.of(((Advised) service).getAdvisors())
                .map(advisor -> advisor.getAdvice().getClass().getSimpleName())
                .toList();
        int transaction = chain.indexOf("TransactionInterceptor");
        assertThat(chain.get(transaction - 1)).isEqualTo("Admission");
        assertThat(chain.get(0)).contains("Async");
        assertThat(chain.get(chain.size() - 1)).isEqualTo("LockInterceptor");
    }

    @Test
    void withoutATransactionTheCallFailsAndNothingIsLocked() {
        var context = Contexts.bare(database, Default.class, Services.class);
        Service service = context.getBean(Service.class);
        assertMisuse(() -> service.locksWithout(1))
                .hasMessageContainingAll("Service.locksWithout(int)", "no transaction", "@Transactional");
        assertThatThrownBy(() -> service.ofMandatory(1)).isInstanceOf(IllegalTransactionStateException.class);
        assertThat(context.getBean(Probe.class).locks()).isZero();
        assertThat(context.transactions().<Integer>execute(status -> service.locksWithout(1)))
                .isOne();
    }
}
