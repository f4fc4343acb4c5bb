package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.Repository;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Checks two databases with tables of one name. The lock must be in the database that the annotations select. */
@Tag("long")
class SeveralDataSourcesTest {
    private static final String ITEM = "create table item (id bigint primary key)";
    private static final LockKey KEY = LockKey.row("item", 1);

    @RegisterExtension
    final TestDatabase orders = new TestDatabase(ITEM, "insert into item values (1)");

    @RegisterExtension
    final TestDatabase stock = new TestDatabase(ITEM, "insert into item values (1)");

    @Import({Contexts.Base.class, StockManager.class})
    static class Managers {
        @Bean
        JdbcTransactionManager ordersTransactions(DataSource ordersDataSource) {
            return new JdbcTransactionManager(ordersDataSource);
        }
    }

    @Import({Contexts.Base.class, StockManager.class})
    static class PrimaryManagers {
        @Bean
        @Primary
        JdbcTransactionManager ordersTransactions(DataSource ordersDataSource) {
            return new JdbcTransactionManager(ordersDataSource);
        }
    }

    static class StockManager {
        @Bean
        JdbcTransactionManager stockTransactions(DataSource stockDataSource) {
            return new JdbcTransactionManager(stockDataSource);
        }
    }

    static class ByManager {
        @Transactional("ordersTransactions")
        public void inOrders(@RowLock("item") long id, Runnable work) {
            work.run();
        }

        @Transactional("stockTransactions")
        public void inStock(@RowLock("item") long id, Runnable work) {
            work.run();
        }
    }

    /** Spring uses the manager in the qualifier of the class, even if another manager is primary. */
    @Qualifier("stockTransactions")
    static class ByQualifierOfTheClass {
        @Transactional
        public void inStock(@RowLock("item") long id, Runnable work) {
            work.run();
        }
    }

    /** The qualifier is only for injection, and names no transaction manager. */
    @Qualifier("anything")
    static class QualifiedForSomethingElse {
        @Transactional
        public void inOrders(@RowLock("item") long id, Runnable work) {
            work.run();
        }
    }

    @Entity(name = "Item")
    @Table(name = "item")
    static class Item {
        @Id
        long id;
    }

    interface Items extends Repository<Item, Long> {
        @Transactional
        default void inStock(@RowLock("item") long id, Runnable work) {
            work.run();
        }
    }

    @Import(Contexts.Base.class)
    @EnableJpaRepositories(
            considerNestedRepositories = true,
            entityManagerFactoryRef = "stockUnit",
            transactionManagerRef = "stockTransactions",
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Items.class))
    static class StockRepositories {
        @Bean
        @Primary
        JdbcTransactionManager ordersTransactions(DataSource ordersDataSource) {
            return new JdbcTransactionManager(ordersDataSource);
        }

        @Bean
        LocalContainerEntityManagerFactoryBean stockUnit(DataSource stockDataSource) {
            LocalContainerEntityManagerFactoryBean unit = new LocalContainerEntityManagerFactoryBean();
            unit.setDataSource(stockDataSource);
            unit.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            unit.setManagedTypes(PersistenceManagedTypes.of(Item.class.getName()));
            return unit;
        }

        @Bean
        JpaTransactionManager stockTransactions(EntityManagerFactory stockUnit) {
            return new JpaTransactionManager(stockUnit);
        }
    }

    static class NeitherSaid {
        @Transactional
        public void somewhere(@RowLock("item") long id, Runnable work) {
            work.run();
        }
    }

    @Test
    void theTransactionManagerTellsWhich() throws Exception {
        ByManager service = start(Managers.class, ByManager.class).getBean(ByManager.class);
        service.inOrders(1, () -> assertHeld(orders, stock));
        service.inStock(1, () -> assertHeld(stock, orders));
    }

    /** A session holds a row in one database. A call waits for the row only in the same database. */
    @Test
    void rowsOfTwoDatabasesDoNotExcludeEachOther() throws Exception {
        Session alice = RowLockTests.holder(stock, KEY);
        ByManager service = start(Managers.class, ByManager.class).getBean(ByManager.class);
        boolean[] ran = new boolean[1];
        service.inOrders(1, () -> ran[0] = true);
        assertThat(ran[0]).isTrue();
        CompletableFuture<Void> second = Blocking.run(() -> service.inStock(1, () -> {}));
        Blocking.awaitWaiterBehind(stock.dataSource(), alice.pid());
        alice.commit();
        TestDatabase.result(second);
    }

    /** Each database has a separate transaction, even for nested calls. */
    @Test
    void bothAtOnceAreLockedEachInItsOwnTransaction() throws Exception {
        ByManager service = start(Managers.class, ByManager.class).getBean(ByManager.class);
        service.inOrders(
                1,
                () -> service.inStock(1, () -> {
                    assertThat(isFree(orders)).isFalse();
                    assertThat(isFree(stock)).isFalse();
                }));
        assertThat(isFree(orders)).isTrue();
        assertThat(isFree(stock)).isTrue();
    }

    /** A transaction of another manager suspends only the synchronizations of the outer transaction. */
    @Test
    void theOuterTransactionIsTheSameWithinOneOfAnotherManager() {
        var context = start(Managers.class, ByManager.class);
        ByManager service = context.getBean(ByManager.class);
        JdbcTransactionManager manager = context.getBean("ordersTransactions", JdbcTransactionManager.class);
        RowLockTemplate template = RowLockTests.template(
                LockAccess.builder().build(), manager, context.getBean("ordersDataSource", DataSource.class));
        TransactionTemplate reading =
                new TransactionTemplate(context.getBean("stockTransactions", JdbcTransactionManager.class));
        reading.setReadOnly(true);
        service.inOrders(
                1,
                () -> reading.executeWithoutResult(status -> {
                    template.requireLocked(KEY);
                    service.inOrders(1, () -> assertThat(isFree(orders)).isFalse());
                }));
        assertThat(isFree(orders)).isTrue();
        // A rollback to a savepoint releases the lock, also if Spring reports the savepoint to the other transaction.
        TransactionTemplate outer = new TransactionTemplate(manager);
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        outer.executeWithoutResult(begun -> reading.executeWithoutResult(status -> {
            nested.executeWithoutResult(inner -> {
                service.inOrders(1, () -> template.requireLocked(KEY));
                inner.setRollbackOnly();
            });
            assertThat(isFree(orders)).isTrue();
            assertThatThrownBy(() -> template.requireLocked(KEY)).hasMessageContaining("has not locked");
        }));
        // The outer transaction can lock until its own end, also behind the commit of the inner one.
        outer.executeWithoutResult(begun -> reading.executeWithoutResult(status -> {
            template.lock(LockRequest.forNoKeyUpdate(KEY));
            TestContext.afterCommit(() -> {
                template.lock(LockRequest.forUpdate(KEY));
                assertThat(isFree(orders)).isFalse();
            });
        }));
        assertThat(isFree(orders)).isTrue();
    }

    @Test
    void thePrimaryTransactionManagerIsTheDefault() throws Exception {
        var context = start(PrimaryManagers.class, NeitherSaid.class);
        context.getBean(NeitherSaid.class).somewhere(1, () -> assertHeld(orders, stock));
    }

    @Test
    void theQualifierOfTheClassNamesItsTransactionManager() throws Exception {
        var context = start(PrimaryManagers.class, ByQualifierOfTheClass.class, QualifiedForSomethingElse.class);
        context.getBean(ByQualifierOfTheClass.class).inStock(1, () -> assertHeld(stock, orders));
        context.getBean(QualifiedForSomethingElse.class).inOrders(1, () -> assertHeld(orders, stock));
    }

    @Test
    void repositoriesLockWithTheTransactionManagerTheyAreEnabledWith() throws Exception {
        var context = start(StockRepositories.class);
        context.getBean(Items.class).inStock(1, () -> assertHeld(stock, orders));
    }

    static class WithoutItsOwn {
        public void inOrders(@RowLock("item") long id) {}
    }

    @Test
    void aTransactionOfTheOtherDataSourceIsRefused() {
        var context = start(PrimaryManagers.class, ByManager.class, WithoutItsOwn.class);
        WithoutItsOwn service = context.getBean(WithoutItsOwn.class);
        assertMisuse(() -> context.getBean(ByManager.class).inStock(1, () -> service.inOrders(1)))
                .hasMessageContainingAll("WithoutItsOwn.inOrders(long)", "the running transaction is not one of");
    }

    @Test
    void whereNothingTellsWhichTheStartFails() {
        assertBadDefinition(() -> start(Managers.class, NeitherSaid.class))
                .hasMessageContainingAll("several DataSources", "ordersDataSource, stockDataSource");
    }

    private static void assertHeld(TestDatabase held, TestDatabase free) {
        assertThat(isFree(held)).isFalse();
        assertThat(isFree(free)).isTrue();
    }

    private static boolean isFree(TestDatabase database) {
        return RowLockTests.isFree(database.dataSource(), KEY);
    }

    private TestContext start(Class<?>... components) {
        Consumer<TestContext> dataSources = context -> {
            context.registerBean("ordersDataSource", DataSource.class, orders::dataSource);
            context.registerBean("stockDataSource", DataSource.class, stock::dataSource);
        };
        return RowLockTests.start(stock, dataSources, components);
    }
}
