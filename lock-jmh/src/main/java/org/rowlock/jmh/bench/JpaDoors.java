package org.rowlock.jmh.bench;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.spring.EnableRowLocks;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockSettings;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** The variants that use JPA: Spring's transactions and Hibernate's entities, as in a service. */
public final class JpaDoors {
    /**
     * The logger of Hibernate, whose first messages would interrupt the progress display. The field keeps the logger
     * alive, because the log manager holds only weak references.
     */
    private static final Logger LOG = Logger.getLogger("org.hibernate");

    public static final String VERSIONED = "versioned_accounts";

    private final BenchmarkServer server;
    private final DataSource pool;
    private final Map<List<Object>, Service> services = new HashMap<>();
    private final DataSource dropIn;
    private final DataSource flushing;

    /** @param pool the pool of the hand-written variants, and of threads that only read */
    public JpaDoors(BenchmarkServer server, DataSource pool) {
        LOG.setLevel(Level.WARNING);
        this.server = server;
        this.pool = pool;
        this.dropIn = server.closeWith(DropInPool.of(pool, "queue", 1));
        this.flushing = server.closeWith(DropInPool.flushing(pool, "queue"));
    }

    /** Creates the table of the variant with a version column. */
    public static void createTable(BenchmarkServer server, int rows) throws SQLException {
        server.execute(
                "create table " + VERSIONED + " (aid int primary key, balance bigint not null, version int not null)"
                        + " with (fillfactor = 50)",
                "insert into " + VERSIONED + " select i, 0, 0 from generate_series(1, " + rows + ") i",
                "vacuum analyze " + VERSIONED);
    }

    public static boolean has(String name) {
        return name.startsWith("jpa-");
    }

    public Door door(String name) {
        Service plain = service(pool);
        return switch (name) {
            case "jpa-query" -> door(plain::raiseByQuery);
            case "jpa-find" -> door(plain::raiseByFind);
            case "jpa-row-lock" -> door(plain::raiseByRowLock);
            case "jpa-row-lock-statement" -> door(service(pool, false)::raiseByRowLock);
            case "jpa-drop-in" -> door(service(dropIn)::raiseByQuery);
            case "jpa-drop-in-row-lock" -> door(service(dropIn)::raiseByRowLock);
            case "jpa-flush" -> door(service(flushing)::raiseByQuery);
            case "jpa-flush-row-lock" -> door(service(flushing)::raiseByRowLock);
            case "jpa-version" -> door(aid -> retry(plain, aid));
            default -> throw new IllegalArgumentException("There is no door " + name);
        };
    }

    private Door door(Door.Change change) {
        return new Door(pool, 1, change);
    }

    /** Retries without a limit, because no change may be lost. Each failure means that another client has succeeded. */
    private static void retry(Service service, int aid) {
        while (true) {
            try {
                service.raiseByVersion(aid);
                return;
            } catch (OptimisticLockingFailureException e) {
                // Another client has changed the row first.
            }
        }
    }

    private Service service(DataSource dataSource) {
        return service(dataSource, true);
    }

    private Service service(DataSource dataSource, boolean lockEntities) {
        return services.computeIfAbsent(List.of(dataSource, lockEntities), given -> {
            AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
            context.registerBean(DataSource.class, () -> dataSource, bean -> bean.setDestroyMethodName(""));
            context.registerBean(RowLockSettings.class, () -> new RowLockSettings() {
                @Override
                public boolean lockEntities() {
                    return lockEntities;
                }
            });
            context.register(Beans.class);
            context.refresh();
            return server.closeWith(context).getBean(Service.class);
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableRowLocks
    @EnableJpaRepositories(considerNestedRepositories = true)
    static class Beans {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(
                    PersistenceManagedTypes.of(Account.class.getName(), VersionedAccount.class.getName()));
            // Spring Boot sets this property if the pool's connections are not in autocommit.
            factory.getJpaPropertyMap().put("hibernate.connection.provider_disables_autocommit", "true");
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        Service service(EntityManager entities, AccountRepository accounts, VersionedRepository versioned) {
            return new Service(entities, accounts, versioned);
        }
    }

    interface AccountRepository extends JpaRepository<Account, Integer> {
        @Lock(LockModeType.PESSIMISTIC_WRITE)
        @Query("select a from Account a where a.aid = :aid")
        Account findForUpdate(int aid);
    }

    interface VersionedRepository extends JpaRepository<VersionedAccount, Integer> {}

    /** A service like the README's, before and after its migration to {@code @RowLock}, and in other variants. */
    static class Service {
        private final EntityManager entities;
        private final AccountRepository accounts;
        private final VersionedRepository versioned;

        Service(EntityManager entities, AccountRepository accounts, VersionedRepository versioned) {
            this.entities = entities;
            this.accounts = accounts;
            this.versioned = versioned;
        }

        @Transactional
        public void raiseByQuery(int aid) {
            accounts.findForUpdate(aid).balance++;
        }

        @Transactional
        public void raiseByFind(int aid) {
            entities.find(Account.class, aid, LockModeType.PESSIMISTIC_WRITE).balance++;
        }

        @Transactional
        public void raiseByRowLock(@RowLock(Accounts.TABLE) int aid) {
            accounts.findById(aid).orElseThrow().balance++;
        }

        @Transactional
        public void raiseByVersion(int aid) {
            versioned.findById(aid).orElseThrow().balance++;
        }
    }

    @Entity(name = "Account")
    @Table(name = Accounts.TABLE)
    static class Account {
        @Id
        int aid;

        long balance;
    }

    @Entity(name = "VersionedAccount")
    @Table(name = VERSIONED)
    static class VersionedAccount {
        @Id
        int aid;

        long balance;

        @Version
        int version;
    }
}
