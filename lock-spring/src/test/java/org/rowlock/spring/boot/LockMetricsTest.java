package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.RowLockTests.assertNotAcquired;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts;
import org.rowlock.spring.LockObservationContext;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockTemplate;
import org.rowlock.spring.RowLockTests;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.TestContext;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Checks meters and observations after real locks, timeouts and deadlocks. */
@Tag("long")
class LockMetricsTest {
    private static final RowLocks LOCKS =
            LockAccess.builder().strategy(LockStrategy.BOTH).build();

    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table orders (id bigint primary key)", "insert into orders values (1), (2)");

    private MeterRegistry meters;
    private Orders orders;

    @Import(Orders.class)
    static class Application {
        final List<Observation.Context> observed = new CopyOnWriteArrayList<>();

        @Bean
        ObservationHandler<Observation.Context> handler() {
            return Contexts.handler(lock -> {}, observed::add);
        }
    }

    @Transactional
    public static class Orders {
        @Autowired
        RowLockTemplate template;

        @Autowired
        JdbcTemplate jdbc;

        public void ship(@RowLock("orders") long orderId) {}

        public void shipNow(@RowLock(value = "orders", lockWait = "nowait") long orderId) {}

        public boolean tryShip(long orderId) {
            return template.tryLock(forNoKeyUpdate(LockKey.row("orders", orderId)))
                    .isHeld();
        }

        /** Detects a deadlock long before the other session does. */
        public void shipAndAfterwards(@RowLock("orders") long orderId, long another, Runnable between) {
            jdbc.execute("set local deadlock_timeout = '10ms'");
            between.run();
            template.lock(forNoKeyUpdate(LockKey.row("orders", another)));
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        ConfigurableApplicationContext context = BootApplication.start(database, Application.class, properties);
        meters = context.getBean(MeterRegistry.class);
        orders = context.getBean(Orders.class);
        return context;
    }

    private long timed(String name, Tags tags) {
        return meters.get(name).tags(tags).timer().count();
    }

    private static Tags tags(String... more) {
        return Tags.of("table", "orders", "strategy", "BOTH").and(more);
    }

    private static Tags acquired(String outcome, String error) {
        return tags("mode", "FOR_NO_KEY_UPDATE", "outcome", outcome, "error", error);
    }

    /** The method does not run, so the lock does not count as acquired. */
    @Test
    void aRefusedAbsentRowIsNotMeteredAsAcquired() {
        start();
        assertThatThrownBy(() -> orders.ship(-1)).isInstanceOf(EmptyResultDataAccessException.class);
        assertThat(meters.find("rowlock.acquire").timers()).singleElement().satisfies(timer -> {
            assertThat(timer.getId().getTag("outcome")).isEqualTo("ABSENT");
            assertThat(timer.count()).isEqualTo(1);
        });
    }

    @Test
    void locksAreTimed() {
        start();
        orders.ship(1);
        assertThat(timed("rowlock.acquire", acquired("ACQUIRED", "none"))).isEqualTo(1);
        assertThat(timed("rowlock.hold", tags())).isEqualTo(1);
        assertThat(timed("rowlock.admission", Tags.of("table", "orders", "outcome", "ADMITTED")))
                .isEqualTo(1);
    }

    @Test
    void spansShowTheLockWithoutItsId() {
        var context = start();
        orders.ship(1);
        List<Observation.Context> all = context.getBean(Application.class).observed;
        assertThat(all)
                .extracting(Observation.Context::getName)
                .as("a span for the queue, one for the lock and one until its release")
                .containsOnly("rowlock.admission", "rowlock.acquire", "rowlock.hold");
        assertThat(all.toString()).doesNotContain("orders[1]");
        LockObservationContext observed = all.stream()
                .filter(LockObservationContext.class::isInstance)
                .map(LockObservationContext.class::cast)
                .filter(each -> !each.isQueue())
                .findFirst()
                .orElseThrow();
        assertThat(observed.getContextualName()).isEqualTo("lock orders");
        assertThat(observed.getAllKeyValues().toString()).doesNotContain("orders[1]");
        assertThat(observed.getHighCardinalityKeyValue("keys").getValue()).isEqualTo("1");
        assertThat(meters.get("rowlock.acquire").timer().getId().getTags())
                .extracting("key")
                .containsExactlyInAnyOrder("table", "mode", "strategy", "outcome", "error");
    }

    /** While calls wait, the meters show the length of the queue and the longest wait. */
    @Test
    void whoStandsInTheQueueIsMeteredByTable() throws Exception {
        var context = start();
        Thread waiting;
        try (var permit = TestContext.calls(context)
                .admit(
                        context.getBean(javax.sql.DataSource.class),
                        forUpdate(List.of(LockKey.row("orders", 1))).forever(),
                        null)) {
            assertThat(permit.isQueued()).isTrue();
            waiting = new Thread(() -> orders.ship(1));
            waiting.start();
            TestDatabase.await().until(() -> {
                var active = meters.find("rowlock.admission.active")
                        .tag("table", "orders")
                        .longTaskTimer();
                return active != null
                        && active.activeTasks() == 1
                        && active.max(java.util.concurrent.TimeUnit.NANOSECONDS) > 0;
            });
        }
        waiting.join(TestDatabase.DEADLINE.toMillis());
        assertThat(meters.get("rowlock.admission.active").longTaskTimer().activeTasks())
                .isZero();
    }

    @Test
    void waitsThatRunOutAndTriesInVainAreTimeouts() throws Exception {
        Session other = RowLockTests.holder(database, LockStrategy.BOTH, LockKey.row("orders", 1));
        start();
        assertNotAcquired(() -> orders.shipNow(1));
        assertThat(orders.tryShip(1)).isFalse();
        assertThat(timed("rowlock.acquire", acquired("NOT_AVAILABLE", "CannotAcquireLockException")))
                .isEqualTo(1);
        assertThat(timed("rowlock.acquire", acquired("NOT_AVAILABLE", "none"))).isEqualTo(1);
        assertThat(meters.find("rowlock.hold").timer()).as("nothing was held").isNull();
    }

    @Test
    void aFullQueueInTheJvmIsARefusedAdmission() {
        var context = start();
        var dataSource = context.getBean(javax.sql.DataSource.class);
        var permit = TestContext.calls(context)
                .admit(dataSource, forUpdate(List.of(LockKey.row("orders", 1))).forever(), null);
        CompletableFuture<Void> refused = CompletableFuture.runAsync(() -> orders.shipNow(1));
        assertThatThrownBy(refused::join).hasCauseInstanceOf(CannotAcquireLockException.class);
        permit.close();
        assertThat(timed("rowlock.admission", Tags.of("table", "orders", "outcome", "REFUSED")))
                .isEqualTo(1);
        assertThat(meters.find("rowlock.acquire").timer())
                .as("it never came to the server")
                .isNull();
    }

    @Test
    void deadlocksAreCounted() throws Exception {
        Session other = database.session("other");
        other.execute("set deadlock_timeout = '1h'");
        RowLockTests.lock(other, LockStrategy.BOTH, LockKey.row("orders", 2));
        start();
        List<Step<?>> others = new CopyOnWriteArrayList<>();
        assertThatThrownBy(() -> orders.shipAndAfterwards(1, 2, () -> {
                    Step<?> step =
                            other.start(connection -> LOCKS.in(connection).lock(forUpdate(LockKey.row("orders", 1))));
                    others.add(step);
                    TestDatabase.await().until(() -> waits(other.pid()));
                }))
                .isInstanceOf(PessimisticLockingFailureException.class);
        others.get(0).get();
        assertThat(timed("rowlock.acquire", acquired("DEADLOCK", "CannotAcquireLockException")))
                .isEqualTo(1);
        assertThat(timed("rowlock.hold", Tags.empty())).as("the first was held").isEqualTo(1);
    }

    private boolean waits(int pid) throws Exception {
        return database.query("select exists (select 1 from pg_locks where not granted and pid = " + pid + ")")
                .equals("t");
    }

    @Test
    void thoseThatWaitNowAreSeen() throws Exception {
        Session other = RowLockTests.holder(database, LockStrategy.BOTH, LockKey.row("orders", 1));
        start();
        CompletableFuture<Void> shipping = CompletableFuture.runAsync(() -> orders.ship(1));
        TestDatabase.await("one waits").until(() -> {
            var waiting = meters.find("rowlock.acquire.active")
                    .tags(tags("mode", "FOR_NO_KEY_UPDATE"))
                    .longTaskTimer();
            return waiting != null && waiting.activeTasks() == 1;
        });
        other.commit();
        shipping.join();
        assertThat(meters.get("rowlock.acquire.active").longTaskTimer().activeTasks())
                .isZero();
    }

    @EnableTransactionManagement
    @Import(Orders.class)
    static class WithoutBootsMetrics {
        @Bean
        DataSourceTransactionManager transactionManager(javax.sql.DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        JdbcTemplate jdbcTemplate(javax.sql.DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }
    }

    private ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withUserConfiguration(WithoutBootsMetrics.class)
                .withPropertyValues("rowlock.strategy=both")
                .withBean("dataSource", javax.sql.DataSource.class, database::dataSource)
                .withConfiguration(AutoConfigurations.of(RowLockAutoConfiguration.class));
    }

    @Test
    void metersNeedNoObservationsOfTheApplication() {
        MeterRegistry registry = new SimpleMeterRegistry();
        meters = registry;
        ObservationRegistry observing = ObservationRegistry.create();
        observing.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
        runner().withBean(ObservationRegistry.class, () -> observing).run(context -> {
            context.getBean(Orders.class).ship(1);
            assertThat(timed("rowlock.acquire", acquired("ACQUIRED", "none"))).isEqualTo(1);
            assertThat(timed("rowlock.hold", Tags.empty())).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"no.such.package", "io.micrometer.core"})
    void anObservationRegistryAloneGivesObservations(String absent) {
        ObservationRegistry registry = ObservationRegistry.create();
        List<Observation.Context> observed = new CopyOnWriteArrayList<>();
        registry.observationConfig().observationHandler(context -> observed.add(context));
        runner().withClassLoader(new FilteredClassLoader(absent))
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> {
                    context.getBean(Orders.class).ship(1);
                    assertThat(observed).hasSize(3);
                });
    }

    @Test
    void withoutRegistriesNothingIsMeasured() {
        runner().run(context -> {
            context.getBean(Orders.class).ship(1);
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(SpringLocks.class).observations().isNoop())
                    .isTrue();
        });
    }

    @Test
    void theEndpointIsNotThereUnlessExposed() {
        runner().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RowLocksEndpoint.class));
        var context = start("management.endpoints.web.exposure.include=health");
        assertThat(context.getBeanNamesForType(RowLocksEndpoint.class)).isEmpty();
    }

    @Test
    void theStrategyIsATag() {
        start("rowlock.strategy=row");
        orders.ship(1);
        assertThat(timed("rowlock.hold", Tags.of("strategy", "ROW"))).isEqualTo(1);
        assertThatThrownBy(() -> orders.ship(3)).isInstanceOf(EmptyResultDataAccessException.class);
        assertThat(timed("rowlock.hold", Tags.empty()))
                .as("there is no row 3 to hold")
                .isEqualTo(1);
    }
}
