package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.util.function.ToIntFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Refreshing by ids in any form in which they can be locked. */
@Tag("long")
class RefreshEdgesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table stock(id bigint primary key, amount int not null default 0)", "insert into stock values (1)");

    @Entity
    @Table(name = "stock")
    static class Stock {
        @Id
        @Nullable
        Long id;

        int amount;
    }

    static class Service {
        @PersistenceContext
        @Nullable
        EntityManager entities;

        int amount() {
            return entities.find(Stock.class, 1L).amount;
        }

        @Transactional
        public int ofArray(@RowLock(entity = Stock.class) long[] ids) {
            return amount();
        }

        @Transactional
        public int ofText(@RowLock(entity = Stock.class) Object id) {
            return amount();
        }

        @Transactional
        public int ofInt(@RowLock(entity = Stock.class) int id) {
            return amount();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableRowLocks
    @Import(CountableLocks.class)
    static class Jpa {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setPackagesToScan("org.rowlock.spring.none");
            factory.setPersistenceUnitPostProcessors(unit -> unit.addManagedClassName(Stock.class.getName()));
            return factory;
        }

        @Bean
        PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        Service service() {
            return new Service();
        }
    }

    private int seenAfterAChangeByAnother(ToIntFunction<Service> call) {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.registerBean(DataSource.class, () -> Contexts.pool(database));
            context.register(Jpa.class);
            context.refresh();
            Service service = context.getBean(Service.class);
            Integer seen = new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .<Integer>execute(status -> {
                        assertThat(target(service).amount()).isZero();
                        changeByAnother();
                        return call.applyAsInt(service);
                    });
            return seen == null ? -1 : seen;
        }
    }

    private static Service target(Service service) {
        return (Service) org.springframework.test.util.AopTestUtils.getUltimateTargetObject(service);
    }

    private void changeByAnother() {
        try {
            database.execute("update stock set amount = 7 where id = 1");
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void arrayOfIds() {
        assertThat(seenAfterAChangeByAnother(service -> service.ofArray(new long[] {1})))
                .isEqualTo(7);
    }

    @Test
    void textOfAnId() {
        assertThat(seenAfterAChangeByAnother(service -> service.ofText("1"))).isEqualTo(7);
    }

    @Test
    void narrowerNumber() {
        assertThat(seenAfterAChangeByAnother(service -> service.ofInt(1))).isEqualTo(7);
    }
}
