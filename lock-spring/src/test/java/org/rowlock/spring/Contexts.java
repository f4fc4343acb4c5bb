package org.rowlock.spring;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Spring contexts on a test's database. */
final class Contexts {
    static final int POOL = 4;

    private Contexts() {}

    /** A context with a pool, a transaction manager, a JdbcTemplate, and what the test adds. */
    static AnnotationConfigApplicationContext start(TestDatabase database, Class<?>... components) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(HikariDataSource.class, () -> pool(database));
        context.register(Jdbc.class);
        context.register(components);
        context.refresh();
        return context;
    }

    /** Adds row locks of one strategy. */
    static void locks(GenericApplicationContext beans, LockStrategy strategy) {
        beans.registerBean(
                RowLocks.class, () -> LockAccess.builder().strategy(strategy).build());
    }

    static HikariDataSource pool(TestDatabase database) {
        return pool(database.dataSource());
    }

    static HikariDataSource pool(DataSource server) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(server);
        pool.setMaximumPoolSize(POOL);
        pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
        return pool;
    }

    /** What an application without Spring Boot turns on. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableRowLocks
    @Import(CountableLocks.class)
    static class Base {}

    /** What Spring Boot would configure. */
    @Configuration(proxyBeanMethods = false)
    static class Jdbc {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTemplate jdbcTemplate(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        Probe probe(JdbcTemplate jdbc) {
            return new Probe(jdbc);
        }
    }

    /** Asks the server, on the transaction's own connection. */
    static final class Probe {
        private final JdbcTemplate jdbc;

        Probe(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** How many advisory locks this very session holds, but for those that announce strategies. */
        int locks() {
            Integer locks = jdbc.queryForObject(
                    "select count(*)::int from pg_locks where locktype = 'advisory' and granted"
                            + " and pid = pg_backend_pid() and (mode = 'ExclusiveLock'"
                            + " or classid::int8 not in (x'726f7752'::int8, x'726f7741'::int8))",
                    Integer.class);
            return locks == null ? -1 : locks;
        }

        int balance(int id) {
            Integer balance = jdbc.queryForObject("select balance from account where id = ?", Integer.class, id);
            return balance == null ? -1 : balance;
        }

        void setBalance(int id, int balance) {
            jdbc.update("update account set balance = ? where id = ?", balance, id);
        }
    }
}
