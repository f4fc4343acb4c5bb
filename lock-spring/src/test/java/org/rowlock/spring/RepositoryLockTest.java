package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.query.Param;
import org.springframework.transaction.annotation.Transactional;

/**
 * Checks that {@code @RowLock} on a method of a Spring Data repository locks in the caller's transaction, before the
 * query.
 */
@Tag("long")
class RepositoryLockTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

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

    /** A repository for which Spring Data can be configured to add no transaction. */
    interface PlainAccounts extends JpaRepository<Account, Long> {
        Optional<Account> findOneById(@RowLock("account") Long id);

        @Override
        Optional<Account> findById(@RowLock("account") Long id);
    }

    @EnableJpaRepositories(
            considerNestedRepositories = true,
            includeFilters =
                    @Filter(
                            type = FilterType.ASSIGNABLE_TYPE,
                            classes = {Accounts.class, PlainAccounts.class}))
    static class Repositories {}

    @EnableJpaRepositories(
            considerNestedRepositories = true,
            enableDefaultTransactions = false,
            includeFilters =
                    @Filter(
                            type = FilterType.ASSIGNABLE_TYPE,
                            classes = {Accounts.class, PlainAccounts.class}))
    static class RepositoriesWithoutTransactions {}

    /** If there is advice on repositories, Spring wraps the proxy of a repository in a second proxy. */
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
        var context = start(AdvisedRepositories.class);
        Accounts accounts = context.getBean(Accounts.class);
        assertThat(AopProxyUtils.getSingletonTarget(accounts)).isInstanceOf(Advised.class);
        assertThat(accounts.inItsOwnTransaction(1)).isZero();
        locks(context, () -> accounts.findById(1L));
    }

    @ParameterizedTest
    @ValueSource(classes = {Repositories.class, RepositoriesWithoutTransactions.class})
    void everyKindOfMethodLocksInTheCallersTransaction(Class<?> repositories) {
        var context = start(repositories);
        Accounts accounts = context.getBean(Accounts.class);
        locks(context, () -> accounts.queried(1));
        locks(context, () -> accounts.findOneById(1L));
        locks(context, () -> accounts.findById(1L));
        locks(context, () -> accounts.viaDefaultMethod(1));
        locks(context, () -> accounts.inItsOwnTransaction(1));
        assertThat(accounts.inItsOwnTransaction(1)).as("without a caller's").isZero();
        PlainAccounts plain = context.getBean(PlainAccounts.class);
        locks(context, () -> plain.findOneById(1L));
        locks(context, () -> plain.findById(1L));
    }

    private void locks(TestContext context, Runnable call) {
        context.inTransaction(status -> {
            assertThat(isFree()).isTrue();
            call.run();
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    static List<Function<Accounts, Long>> reads() {
        return List.of(
                accounts -> accounts.queried(1),
                accounts -> accounts.findById(1L).orElseThrow().balance);
    }

    @ParameterizedTest
    @MethodSource("reads")
    void queriesAndFindersRunBehindTheLock(Function<Accounts, Long> read) throws Exception {
        var context = start(Repositories.class);
        Accounts accounts = context.getBean(Accounts.class);
        Session alice = RowLockTests.holder(database, KEY);
        alice.execute("update account set balance = 100 where id = 1");
        CompletableFuture<Long> bob =
                Threads.start(() -> context.transactions().execute(status -> read.apply(accounts)));
        Blocking.awaitWaiterBehind(database.dataSource(), alice.pid());
        alice.commit();
        assertThat(TestDatabase.result(bob)).isEqualTo(100);
    }

    @Test
    void withoutATransactionItIsRefused() {
        Accounts accounts = start(RepositoriesWithoutTransactions.class).getBean(Accounts.class);
        assertMisuse(() -> accounts.findById(1L))
                .hasMessageContainingAll("Accounts.findById(Long)", "there is no transaction");
    }

    /** Spring Data's own transaction of a finder is read-only. */
    @Test
    void inSpringDatasReadOnlyTransactionItIsRefused() {
        Accounts accounts = start(Repositories.class).getBean(Accounts.class);
        assertMisuse(() -> accounts.findById(1L)).hasMessageContaining("read-only");
    }

    private boolean isFree() {
        return RowLockTests.isFree(database.dataSource(), KEY);
    }

    private TestContext start(Class<?> repositories) {
        return Contexts.jpa(database, new Unit(Account.class), repositories);
    }
}
