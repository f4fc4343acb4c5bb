package org.rowlock.jdbc.programs.springdata;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.rowlock.jdbc.programs.Concurrently;
import org.rowlock.jdbc.programs.Program;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Uses Spring Data JDBC: an aggregate with a version, and the locks that Spring Data acquires itself. */
public final class SpringDataJdbcProgram implements Program {
    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("create table basket (id bigserial primary key, owner text, version int)");
        jdbc.execute("create table item (basket bigint references basket, name text, quantity int)");
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(DataSource.class, () -> dataSource);
            context.register(Jdbc.class);
            context.refresh();
            return work(
                    context.getBean(BasketRepository.class),
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
        }
    }

    private static List<String> work(BasketRepository baskets, TransactionTemplate transaction) throws Exception {
        List<String> out = new ArrayList<>();
        Basket basket = baskets.save(new Basket(null, "Ann", null, Set.of(new Basket.Item("bolt", 3))));
        long id = basket.id();
        transaction.executeWithoutResult(status -> {
            out.add("locked " + baskets.findLockedById(id).owner());
            out.add("shared " + baskets.findSharedById(id).owner());
            out.add("by owner " + baskets.findByOwner("Ann").size());
            out.add("renamed " + baskets.rename(id, "Ben"));
        });
        out.add("saved v"
                + baskets.save(baskets.findById(id).orElseThrow().with("Cid")).version());
        Concurrently.run(
                4,
                10,
                () -> transaction.executeWithoutResult(status -> {
                    Basket locked = baskets.findLockedById(id);
                    baskets.save(locked.with(locked.owner() + "."));
                }));
        Basket last = baskets.findById(id).orElseThrow();
        out.add("last " + last.owner() + " v" + last.version() + " " + last.items());
        baskets.delete(last);
        baskets.save(new Basket(null, "Dan", null, Set.of()));
        baskets.deleteAll();
        out.add("left " + baskets.count());
        return out;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories
    static class Jdbc extends AbstractJdbcConfiguration {
        @Bean
        static NamedParameterJdbcOperations operations(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }

        @Bean
        static PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }
}
