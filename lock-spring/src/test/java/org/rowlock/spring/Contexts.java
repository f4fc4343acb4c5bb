package org.rowlock.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Starts Spring contexts on the database of a test, which closes the contexts after the test. */
public final class Contexts {
    public static final int POOL = 4;

    private Contexts() {}

    /** Returns a context with a pool, {@link Jdbc} and the components of the test. */
    static TestContext bare(TestDatabase database, Class<?>... components) {
        return RowLockTests.start(
                database,
                beans -> {
                    beans.registerBean(HikariDataSource.class, () -> pool(database));
                    beans.register(Jdbc.class);
                },
                components);
    }

    /** Returns a context with a pool, {@link Jdbc}, {@link Base} and the components of the test. */
    public static TestContext start(TestDatabase database, Class<?>... components) {
        return start(database, pool(database), components);
    }

    /** Returns a context like {@link #start(TestDatabase, Class[])}, with row locks of one strategy. */
    public static TestContext start(TestDatabase database, LockStrategy strategy, Class<?>... components) {
        return start(database, beans -> locks(beans, strategy), components);
    }

    /** Returns a context like {@link #start(TestDatabase, Class[])}, with beans that a callback registers. */
    public static TestContext start(TestDatabase database, Consumer<TestContext> more, Class<?>... components) {
        return start(database, pool(database), more, components);
    }

    /** Returns a context on a DataSource, with {@link Base} and the components of the test. */
    public static TestContext start(TestDatabase database, DataSource dataSource, Class<?>... components) {
        return start(database, dataSource, beans -> {}, components);
    }

    public static TestContext start(
            TestDatabase database, DataSource dataSource, Consumer<TestContext> more, Class<?>... components) {
        return RowLockTests.start(
                database,
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, () -> dataSource);
                    beans.register(Jdbc.class, Base.class);
                    more.accept(beans);
                },
                components);
    }

    /** Returns a context without a pool, with Hibernate, the given entities and the components of the test. */
    public static TestContext jpa(TestDatabase database, JpaTransactions.Unit unit, Class<?>... components) {
        return jpa(database, database.dataSource(), unit, beans -> {}, components);
    }

    /** Returns a context with Hibernate, the given entities and the components of the test. */
    public static TestContext jpa(
            TestDatabase database,
            DataSource dataSource,
            JpaTransactions.Unit unit,
            Consumer<TestContext> more,
            Class<?>... components) {
        return RowLockTests.start(
                database,
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, () -> dataSource);
                    beans.registerBean(JpaTransactions.Unit.class, () -> unit);
                    beans.register(JpaTransactions.class);
                    more.accept(beans);
                },
                components);
    }

    /** Returns a registry that notifies the test when an observation of a lock starts or stops. */
    static ObservationRegistry observing(Consumer<Observation.Context> onStart, Consumer<Observation.Context> onStop) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(handler(onStart, onStop));
        return registry;
    }

    /** Returns a handler for Rowlock's observations only. */
    public static ObservationHandler<Observation.Context> handler(
            Consumer<Observation.Context> onStart, Consumer<Observation.Context> onStop) {
        return new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context observed) {
                onStart.accept(observed);
            }

            @Override
            public void onStop(Observation.Context observed) {
                onStop.accept(observed);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return String.valueOf(context.getName()).startsWith("rowlock.");
            }
        };
    }

    /** Adds row locks of one strategy, which take precedence over the existing bean. */
    public static void locks(GenericApplicationContext beans, LockStrategy strategy) {
        locks(beans, LockAccess.builder().strategy(strategy).build());
    }

    /** Adds row locks, which take precedence over the existing bean. */
    static void locks(GenericApplicationContext beans, RowLocks locks) {
        beans.registerBean(RowLocks.class, () -> locks, definition -> definition.setPrimary(true));
    }

    public static void settings(GenericApplicationContext beans, RowLockSettings settings) {
        beans.registerBean(RowLockSettings.class, () -> settings);
    }

    /** Returns a pool that is closed after the test. */
    public static HikariDataSource pool(TestDatabase database) {
        return database.closing(pool(database.dataSource()));
    }

    public static HikariDataSource pool(DataSource server) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(server);
        pool.setMaximumPoolSize(POOL);
        pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
        return pool;
    }

    /** The annotations of an application without Spring Boot. */
    @EnableTransactionManagement
    @EnableRowLocks
    @Import(CountableLocks.class)
    static class Base {}

    /** A service whose methods query the locks of their own session. */
    abstract static class Probing {
        @Autowired
        Probe probe;
    }

    /** A service whose methods each run in a transaction. */
    @Transactional
    abstract static class InTransaction {}

    /** The beans that Spring Boot would configure. */
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

    /** Queries the server on the transaction's own connection. */
    static final class Probe {
        private final JdbcTemplate jdbc;

        Probe(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** Returns the number of advisory locks of the current session. */
        int locks() {
            Integer locks = jdbc.queryForObject(
                    "select count(*)::int from pg_locks where locktype = 'advisory' and granted"
                            + " and pid = pg_backend_pid()",
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
