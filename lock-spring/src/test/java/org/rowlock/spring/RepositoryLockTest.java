package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.query.Param;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code @RowLock} on the methods of a Spring Data repository locks in the caller's transaction, before the query. */
@Tag("long")
class RepositoryLockTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @Entity(name = "Account")
    @Table(name = "account")
    static class Account {
        @Id
        Long id;

        long balance;
    }

    interface Accounts extends JpaRepository<Account, Long> {
        @Query("select a.balance from Account a where a.id = :id")
        long queried(@RowLock(entity = Account.class) @Param("id") long id);

        Optional<Account> findOneById(@RowLock("account") Long id);

        @Override
        @RowLock(table = "account", id = "#id")
        Optional<Account> findById(Long id);

        default long viaDefaultMethod(@RowLock("account") long id) {
            return getReferenceById(id).balance;
        }

        @Transactional
        @Query("select a.balance from Account a where a.id = :id")
        long inItsOwnTransaction(@RowLock("account") @Param("id") long id);
    }

    /** Without any transaction around its proxy where Spring Data adds none. */
    interface PlainAccounts extends JpaRepository<Account, Long> {
        Optional<Account> findOneById(@RowLock("account") Long id);

        @Override
        Optional<Account> findById(@RowLock("account") Long id);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJpaRepositories(
            considerNestedRepositories = true,
            includeFilters =
                    @Filter(
                            type = FilterType.ASSIGNABLE_TYPE,
                            classes = {Accounts.class, PlainAccounts.class}))
    static class Repositories {}

    @Configuration(proxyBeanMethods = false)
    @EnableJpaRepositories(
            considerNestedRepositories = true,
            enableDefaultTransactions = false,
            includeFilters =
                    @Filter(
                            type = FilterType.ASSIGNABLE_TYPE,
                            classes = {Accounts.class, PlainAccounts.class}))
    static class RepositoriesWithoutTransactions {}

    /** Spring puts the advice on repositories into a proxy of their proxy. */
    @Configuration(proxyBeanMethods = false)
    @Import(Repositories.class)
    static class AdvisedRepositories {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor measuring() {
            return new StaticMethodMatcherPointcutAdvisor((MethodInterceptor) MethodInvocation::proceed) {
                private static final long serialVersionUID = 1;

                @Override
                public boolean matches(Method method, Class<?> targetClass) {
                    return Accounts.class.isAssignableFrom(targetClass);
                }
            };
        }
    }

    @Test
    void anAspectOnTheRepositoryChangesNothing() {
        try (AnnotationConfigApplicationContext context = start(AdvisedRepositories.class)) {
            Accounts accounts = context.getBean(Accounts.class);
            assertThat(AopProxyUtils.getSingletonTarget(accounts)).isInstanceOf(Advised.class);
            assertThat(accounts.inItsOwnTransaction(1)).isZero();
            locks(context, () -> accounts.findById(1L));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Repositories.class, RepositoriesWithoutTransactions.class})
    void everyKindOfMethodLocksInTheCallersTransaction(Class<?> repositories) {
        try (AnnotationConfigApplicationContext context = start(repositories)) {
            Accounts accounts = context.getBean(Accounts.class);
            locks(context, () -> accounts.queried(1));
            locks(context, () -> accounts.findOneById(1L));
            locks(context, () -> accounts.findById(1L));
            locks(context, () -> accounts.viaDefaultMethod(1));
            locks(context, () -> accounts.inItsOwnTransaction(1));
            PlainAccounts plain = context.getBean(PlainAccounts.class);
            locks(context, () -> plain.findOneById(1L));
            locks(context, () -> plain.findById(1L));
        }
    }

    private void locks(AnnotationConfigApplicationContext context, Runnable call) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            assertThat(isFree()).isTrue();
            call.run();
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    @Test
    void theQueryRunsBehindTheLock() throws Exception {
        assertWaitsAndReads(accounts -> accounts.queried(1));
    }

    @Test
    void aFinderRunsBehindTheLock() throws Exception {
        assertWaitsAndReads(accounts -> accounts.findById(1L).orElseThrow().balance);
    }

    private void assertWaitsAndReads(Function<Accounts, Long> read) throws Exception {
        try (AnnotationConfigApplicationContext context = start(Repositories.class)) {
            Accounts accounts = context.getBean(Accounts.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            Session alice = database.session("alice");
            alice.run(connection -> LockAccess.builder().build().in(connection).lock(forUpdate(KEY)));
            alice.execute("update account set balance = 100 where id = 1");
            CompletableFuture<Long> bob = CompletableFuture.supplyAsync(
                    () -> transaction.execute(status -> read.apply(accounts)), Blocking.NEW_THREAD);
            Blocking.awaitWaiterBehind(database.dataSource(), alice.pid());
            alice.commit();
            assertThat(TestDatabase.result(bob)).isEqualTo(100);
        }
    }

    @Test
    void aMethodWithATransactionOfItsOwnNeedsNoCallers() {
        try (AnnotationConfigApplicationContext context = start(Repositories.class)) {
            assertThat(context.getBean(Accounts.class).inItsOwnTransaction(1)).isZero();
        }
    }

    @Test
    void withoutATransactionItIsRefused() {
        try (AnnotationConfigApplicationContext context = start(RepositoriesWithoutTransactions.class)) {
            Accounts accounts = context.getBean(Accounts.class);
            assertThatThrownBy(() -> accounts.findById(1L))
                    .isInstanceOf(InvalidDataAccessApiUsageException.class)
                    .hasMessageContaining("Accounts.findById(Long)")
                    .hasMessageContaining("there is no transaction");
        }
    }

    /** Spring Data's own transaction around a finder is read-only. */
    @Test
    void inSpringDatasReadOnlyTransactionItIsRefused() {
        try (AnnotationConfigApplicationContext context = start(Repositories.class)) {
            Accounts accounts = context.getBean(Accounts.class);
            assertThatThrownBy(() -> accounts.findById(1L))
                    .isInstanceOf(InvalidDataAccessApiUsageException.class)
                    .hasMessageContaining("read-only");
        }
    }

    private boolean isFree() {
        return RowLockTests.isFree(database.dataSource(), KEY);
    }

    private AnnotationConfigApplicationContext start(Class<?> repositories) {
        return RowLockTests.start(
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, database::dataSource);
                    beans.registerBean(Unit.class, () -> new Unit(Account.class));
                },
                JpaTransactions.class,
                repositories);
    }
}
