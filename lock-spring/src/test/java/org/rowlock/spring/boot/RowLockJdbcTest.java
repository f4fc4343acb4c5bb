package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceContext;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.JMX;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockJdbcMXBean;
import org.rowlock.spring.RowLock;
import org.rowlock.testing.TestDatabase;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.annotation.Transactional;

/** Checks that one property is enough to add lock-jdbc to an application with Hibernate. */
class RowLockJdbcTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table stock (id bigint primary key, pieces int not null)",
            "insert into stock values (1, 10), (2, 10)");

    @Entity(name = "stock")
    static class Stock {
        @Id
        long id;

        @Column
        int pieces;
    }

    @Transactional
    static class Warehouse {
        @PersistenceContext
        EntityManager entities;

        public void take(long id) {
            entities.find(Stock.class, id, LockModeType.PESSIMISTIC_WRITE).pieces--;
        }

        public void takeAdmitted(@RowLock("stock") long id) {
            entities.find(Stock.class, id).pieces--;
        }
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RowLockJdbcAutoConfiguration.class))
                .withPropertyValues("rowlock.jdbc.mode=queue");
    }

    private ConfigurableApplicationContext start(String... properties) {
        return BootApplication.start(database, Warehouse.class, properties);
    }

    @Test
    void aPropertyWrapsTheDataSource() throws Exception {
        ObjectName name = new ObjectName("org.rowlock:type=Jdbc,name=\"dataSource\"");
        try (var context = start("rowlock.jdbc.mode=queue", "rowlock.jdbc.exclude=note")) {
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(dataSource).isInstanceOf(RowlockDataSource.class);
            assertThat(dataSource.unwrap(HikariDataSource.class).getMaximumPoolSize())
                    .isEqualTo(4);
            Warehouse warehouse = context.getBean(Warehouse.class);
            for (int i = 0; i < 3; i++) {
                warehouse.take(1);
            }
            assertThat(database.query("select pieces from stock where id = 1")).isEqualTo("7");

            var control = dataSource.unwrap(RowlockDataSource.class).control();
            assertThat(control.getSettings()).containsEntry("exclude", "note").containsEntry("flushWithCommit", "true");
            // Each transaction locks a row and then updates the row.
            assertThat(control.getFigures().get("stock"))
                    .containsEntry("recognised", 6L)
                    .containsEntry("passed.NOT_FIRST", 3L)
                    // The first write is sent before the COMMIT, because the primary key is not known yet.
                    .containsEntry("kept", 2L);
            assertThat(JMX.newMXBeanProxy(ManagementFactory.getPlatformMBeanServer(), name, RowlockJdbcMXBean.class)
                            .getSettings())
                    .containsEntry("mode", "queue");
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            meters.get("rowlock.jdbc.waiting").gauge().value();
            assertThat(meters.get("rowlock.jdbc.recognised")
                            .tags("table", "stock", "datasource", "dataSource")
                            .functionCounter()
                            .count())
                    .isEqualTo(6);
        }
        assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name))
                .isFalse();
    }

    @Test
    void aCallThatWasAdmittedDoesNotQueueAgain() throws Exception {
        var context = start("rowlock.strategy=row", "rowlock.jdbc.mode=queue");
        Warehouse warehouse = context.getBean(Warehouse.class);
        for (int i = 0; i < 4; i++) {
            warehouse.takeAdmitted(1);
        }
        assertThat(database.query("select pieces from stock where id = 1")).isEqualTo("6");
        Map<String, Long> figures = context.getBean(DataSource.class)
                .unwrap(RowlockDataSource.class)
                .control()
                .getFigures()
                .get("stock");
        assertThat(figures).containsEntry("passed.ADMITTED", 4L).containsEntry("passed.NOT_FIRST", 4L);
    }

    /**
     * An application with a second database, declared as Spring Boot recommends, in addition to the database that
     * Spring Boot configures.
     */
    static class TwoDatabases {
        @Bean(defaultCandidate = false)
        HikariDataSource second(Environment environment) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(environment.getRequiredProperty("spring.datasource.url"));
            pool.setUsername(environment.getRequiredProperty("spring.datasource.username"));
            pool.setPassword(environment.getRequiredProperty("spring.datasource.password"));
            return pool;
        }
    }

    @Test
    void aDataSourceThatIsInjectedByItsQualifierIsReported() {
        var context = BootApplication.start(database, TwoDatabases.class, "rowlock.jdbc.mode=queue");
        assertThat(context.getBean(MeterRegistry.class)
                        .get("rowlock.jdbc.waiting")
                        .gauges())
                .extracting(gauge -> gauge.getId().getTag("datasource"))
                .containsExactlyInAnyOrder("dataSource", "second");
    }

    @Test
    void nothingIsWrappedWithoutTheProperty() {
        var context = start();
        assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
    }

    @Test
    void aModeThatThereIsNotStopsTheApplication() {
        assertThatThrownBy(() -> start("rowlock.jdbc.mode=fast"))
                .rootCause()
                .hasMessageContainingAll("fast", "DropInMode");
    }

    @Test
    void earlyReleaseStopsTheApplication() {
        assertThatThrownBy(() -> start("rowlock.jdbc.mode=queue", "rowlock.jdbc.release=early"))
                .rootCause()
                .hasMessageContaining("rowlock.jdbc.release");
    }

    @Test
    void saysThatLockJdbcIsMissing() {
        new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader("org.rowlock.jdbc"))
                .withUserConfiguration(RowLockJdbcAutoConfiguration.class)
                .withPropertyValues("rowlock.jdbc.mode=queue")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("lock-jdbc is not on the class path. Add the dependency"));
    }

    /** YAML reads the value off as false. */
    @Tag("long")
    @Test
    void offInYamlIsWrappedAndOff(@TempDir Path directory) throws Exception {
        Path yaml = Files.writeString(directory.resolve("off.yaml"), "rowlock.jdbc.mode: off");
        var context = start("spring.config.additional-location=file:" + yaml);
        RowlockDataSource wrapper = context.getBean(DataSource.class).unwrap(RowlockDataSource.class);
        assertThat(wrapper.control().getSettings().get("mode")).isEqualTo("off");
    }

    /** A refresh scope, for example, creates a bean again and closes the earlier pool. */
    @Test
    void aDataSourceThatIsMadeAgainIsWrappedAgain() {
        runner().withBean(
                        "pool", DataSource.class, HikariDataSource::new, definition -> definition.setScope("prototype"))
                .run(context -> {
                    DataSource first = context.getBean("pool", DataSource.class);
                    DataSource second = context.getBean("pool", DataSource.class);
                    assertThat(second.unwrap(HikariDataSource.class)).isNotSameAs(first.unwrap(HikariDataSource.class));
                    ObjectName name = new ObjectName("org.rowlock:type=Jdbc,name=\"pool\"");
                    assertThat(ManagementFactory.getPlatformMBeanServer().queryNames(name, null))
                            .hasSize(1);
                });
    }

    /** Replaces the DataSource by a lazy proxy, as Spring Boot 4.1 does for connections that are fetched lazily. */
    private static final class Lazily implements BeanPostProcessor, Ordered {
        @Override
        public int getOrder() {
            return 0;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return bean instanceof DataSource dataSource ? new LazyConnectionDataSourceProxy(dataSource) : bean;
        }
    }

    @Test
    void whatAnotherProcessorLeadsToIsWrapped() {
        runner().withBean(Lazily.class)
                .withBean("pool", DataSource.class, database::dataSource)
                .run(context -> assertThat(context.getBean(DataSource.class))
                        .isInstanceOf(LazyConnectionDataSourceProxy.class)
                        .extracting(RowLockJdbcAutoConfiguration.Wrapping::control)
                        .isNotNull());
    }

    /** An aspect around connections. Its proxy is a subclass of the pool's class. */
    static class Aspects {
        @Bean
        static DefaultAdvisorAutoProxyCreator proxyCreator() {
            DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
            creator.setProxyTargetClass(true);
            creator.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return creator;
        }

        @Bean
        static NameMatchMethodPointcutAdvisor aroundConnections() {
            MethodInterceptor around = MethodInvocation::proceed;
            NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(around);
            advisor.setMappedName("getConnection");
            return advisor;
        }
    }

    @Test
    void thePoolThatAnAspectIsAroundIsWrapped() {
        runner().withUserConfiguration(Aspects.class)
                .withBean("pool", DataSource.class, HikariDataSource::new)
                .run(context -> assertThat(context.getBean(DataSource.class)).isInstanceOf(RowlockDataSource.class));
    }

    /**
     * Outside a request, a routing DataSource may have no target. During a request, the target is a bean that reports
     * its own figures.
     */
    @Test
    void oneThatRoutesIsNotAskedForFigures() {
        DataSource pool = database.dataSource();
        for (boolean leads : new boolean[] {false, true}) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return leads ? "pool" : null;
                }
            };
            try (RowlockDataSource wrapper = RowlockDataSource.wrap(pool)) {
                routing.setTargetDataSources(Map.of("pool", wrapper));
                routing.afterPropertiesSet();
                Map<String, DataSource> beans = new LinkedHashMap<>();
                beans.put("routing", new LazyConnectionDataSourceProxy(routing));
                beans.put("pool", wrapper);
                assertThat(RowLockJdbcAutoConfiguration.Metrics.names(beans))
                        .containsOnly(entry(wrapper.control(), "pool"));
            }
        }
    }
}
