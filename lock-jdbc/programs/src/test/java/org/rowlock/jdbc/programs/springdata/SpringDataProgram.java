package org.rowlock.jdbc.programs.springdata;

import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.rowlock.jdbc.programs.Concurrently;
import org.rowlock.jdbc.programs.Program;
import org.rowlock.jdbc.programs.entity.Entities.Account;
import org.rowlock.jdbc.programs.entity.Entities.Branch;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Uses Spring Data JPA: {@code @Lock} on derived and written queries, hints, and modifying queries. */
public final class SpringDataProgram implements Program {
    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(DataSource.class, () -> dataSource);
            context.register(Jpa.class);
            context.refresh();
            return work(
                    context.getBean(AccountRepository.class),
                    context.getBean(EntityManagerFactory.class),
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
        }
    }

    private static List<String> work(
            AccountRepository accounts, EntityManagerFactory entities, TransactionTemplate transaction)
            throws Exception {
        List<String> out = new ArrayList<>();
        entities.unwrap(SessionFactory.class).inTransaction(manager -> {
            Branch branch = new Branch("north", 1);
            manager.persist(branch);
            for (long id = 1; id <= 4; id++) {
                manager.persist(new Account(id, id * 100, branch));
            }
        });
        transaction.executeWithoutResult(status -> {
            out.add("written query " + accounts.findForUpdate(1).orElseThrow().balance);
            out.add("derived " + accounts.findLockedById(1).balance);
            out.add("shared " + accounts.findSharedById(1).balance);
            out.add("at once " + accounts.findAtOnceById(1).balance);
            out.add("skipping "
                    + accounts.findTop2ByBalanceGreaterThanOrderById(150).size());
            out.add("joined " + accounts.findFirstByBranchNameOrderById("north").id);
            out.add("in " + accounts.findAllByIdInOrderById(List.of(1L, 2L)).size());
            out.add("in one " + accounts.findAllByIdInOrderById(List.of(2L)).size());
            out.add("and " + accounts.findByIdAndBalanceGreaterThanEqual(2, 1).balance);
            out.add("native " + accounts.findNative(2).balance);
        });
        transaction.executeWithoutResult(status -> {
            out.add("added " + accounts.add(1, 5));
            out.add("took " + accounts.take(1, 5));
            out.add("took nothing " + accounts.take(1, 1_000_000));
            accounts.findById(2L).orElseThrow().balance = 1;
            accounts.deleteById(3L);
            out.add("deleted " + accounts.deleteByBalance(400));
        });
        Concurrently.run(8, 25, () -> transaction.executeWithoutResult(status -> accounts.findLockedById(1).balance++));
        for (Account account : accounts.findAll()) {
            out.add(account.id + " " + account.balance + " v" + account.version);
        }
        out.sort(null);
        return out;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJpaRepositories
    static class Jpa {
        @Bean
        static LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setPackagesToScan("org.rowlock.jdbc.programs.entity");
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
            return factory;
        }

        @Bean
        static PlatformTransactionManager transactionManager(EntityManagerFactory entities) {
            return new JpaTransactionManager(entities);
        }
    }
}
