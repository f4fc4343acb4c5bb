package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;
import static org.rowlock.spring.RowLockTests.assertNotAcquired;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.spring.Blocking;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockSettings;
import org.rowlock.spring.RowLockTemplate;
import org.rowlock.spring.RowLockTests;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.TestContext;
import org.rowlock.spring.TestSettings;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

class RowLockAutoConfigurationTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key, shipped boolean not null default false)",
            "create table order_lines (order_id bigint, line int, primary key (order_id, line))",
            "create table shipments (id bigint primary key)",
            "create table events (at timestamptz, number int unique)",
            "insert into orders select n from generate_series(1, 10) as n");

    static class Orders {
        @Autowired
        JdbcTemplate jdbc;

        @Transactional
        public List<String> locksWhileShipping(@RowLock("orders") long orderId) {
            return jdbc.queryForList(
                    "select mode from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and objid = "
                            + orderId,
                    String.class);
        }
    }

    @Test
    void addingTheDependencyIsAllThatItTakes() {
        var context = BootApplication.start(database, Orders.class);
        assertThat(context.getBean(Orders.class).locksWhileShipping(7)).containsExactly("ExclusiveLock");
        assertThat(LockAccess.of(context.getBean(RowLocks.class)).tables().strategyOf(LockKey.row("orders", 1)))
                .isEqualTo(LockStrategy.BOTH);
        assertThat(values(context.getBean(RowLockSettings.class))).isEqualTo(values(RowLockSettings.defaults()));
    }

    private static void assertStrategy(RowLocks locks, String table, LockStrategy strategy) {
        assertThat(LockAccess.of(locks).tables().strategyOf(LockKey.row(table, 1)))
                .isEqualTo(strategy);
    }

    private static List<@Nullable Object> values(RowLockSettings settings) {
        return Arrays.stream(RowLockSettings.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .sorted(Comparator.comparing(Method::getName))
                .map(method -> ReflectionUtils.invokeMethod(method, settings))
                .toList();
    }

    /**
     * Rowlock detects a distributed database by the name of its extension. The test adds only that name to the catalog.
     */
    @Test
    void aSingleEntryNodeIsDeclaredByProperty() throws Exception {
        database.execute(
                "set allow_system_table_mods = on",
                "insert into pg_extension select 4243, 'spock', 10, 'pg_catalog'::regnamespace, true, '1', null, null");
        try {
            assertThatThrownBy(() -> BootApplication.start(database, Orders.class, "rowlock.strategy=advisory"))
                    .hasStackTraceContaining("singleEntryNode(true)");
            BootApplication.start(
                    database, Orders.class, "rowlock.strategy=advisory", "rowlock.single-entry-node=true");
        } finally {
            database.execute("delete from pg_extension where oid = 4243");
        }
    }

    @Tag("long")
    @Test
    void theReleaseReachesRowLocks() {
        try (var context = BootApplication.start(database, Orders.class)) {
            assertThat(LockAccess.of(context.getBean(RowLocks.class)).release()).isEqualTo(LockRelease.PLAIN);
        }
        var context = BootApplication.start(database, Orders.class, "rowlock.release=early");
        assertThat(LockAccess.of(context.getBean(RowLocks.class)).release()).isEqualTo(LockRelease.EARLY);
    }

    @Test
    void propertiesOfTablesReachRowLocks() {
        String qualified = database.schema() + ".shipments";
        RowLocks locks = BootApplication.start(
                        database,
                        Orders.class,
                        "rowlock.strategy=advisory",
                        "rowlock.tables.orders.strategy=row",
                        "rowlock.tables[" + qualified + "].strategy=both",
                        "rowlock.tables.events.id-columns=number",
                        "rowlock.tables.order_lines.strategy=ROW")
                .getBean(RowLocks.class);
        assertStrategy(locks, "anything", LockStrategy.ADVISORY);
        assertStrategy(locks, "orders", LockStrategy.ROW);
        assertStrategy(locks, qualified, LockStrategy.BOTH);
        assertStrategy(locks, "order_lines", LockStrategy.ROW);
        assertThat(LockAccess.of(locks).tables().idColumnsOf("events")).containsExactly("number");
        assertStrategy(locks, "events", LockStrategy.ADVISORY);
    }

    @Tag("long")
    @Test
    void propertiesOfTablesInYaml(@TempDir Path directory) throws IOException {
        Path yaml = Files.writeString(directory.resolve("shop.yaml"), """
                rowlock:
                  lock-wait: 250ms
                  tables:
                    order_lines:
                      strategy: advisory
                    "[%s.shipments]":
                      strategy: row
                    events:
                      id-columns: [number]
                """.formatted(database.schema()));
        var context = BootApplication.start(database, Orders.class, "spring.config.additional-location=file:" + yaml);
        RowLocks locks = context.getBean(RowLocks.class);
        assertStrategy(locks, "order_lines", LockStrategy.ADVISORY);
        assertStrategy(locks, database.schema() + ".shipments", LockStrategy.ROW);
        assertThat(LockAccess.of(locks).tables().idColumnsOf("events")).containsExactly("number");
        assertThat(context.getBean(RowLockSettings.class).defaultWait()).isEqualTo(Duration.ofMillis(250));
    }

    @Tag("long")
    @Test
    void environmentVariablesOfTables() {
        var variables = java.util.Map.<String, Object>of(
                "ROWLOCK_TABLES_ORDERS_STRATEGY", "row", "ROWLOCK_TABLES_EVENTS_IDCOLUMNS", "number");
        RowLocks locks =
                BootApplication.start(database, Orders.class, variables).getBean(RowLocks.class);
        assertStrategy(locks, "orders", LockStrategy.ROW);
        assertThat(LockAccess.of(locks).tables().idColumnsOf("events")).containsExactly("number");
    }

    /** The verification is never lazy, so the beans that create the tables must not be lazy either. */
    @Tag("long")
    @Test
    void lazyTablesAreThereForTheVerification(@TempDir Path directory) throws IOException {
        Path schema = Files.writeString(directory.resolve("schema.sql"), "create table late (id bigint primary key)");
        var context = BootApplication.start(
                database,
                Orders.class,
                "spring.main.lazy-initialization=true",
                // With JPA, the transaction manager would initialize these beans.
                "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,"
                        + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "spring.sql.init.mode=always",
                "spring.sql.init.schema-locations=file:" + schema,
                "rowlock.tables.late.strategy=row");
        assertThat(LockAccess.of(context.getBean(RowLocks.class)).tables().configured())
                .containsExactly("late");
    }

    @Tag("long")
    @Test
    void lockWaitIsTheDefaultOfEveryLock() throws Exception {
        Session other = RowLockTests.holder(database, LockStrategy.BOTH, LockKey.row("orders", 1));
        Orders orders = BootApplication.start(database, Orders.class, "rowlock.lock-wait=nowait")
                .getBean(Orders.class);
        assertNotAcquired(() -> orders.locksWhileShipping(1));
        assertThat(orders.locksWhileShipping(2)).hasSize(1);
    }

    @Test
    void lockBudgetIsConfigured() {
        List<LockKey> three = LockKey.rows("orders", List.of(1, 2, 3));
        try (var context = BootApplication.start(database, Orders.class, "rowlock.lock-budget=2")) {
            assertMisuse(() -> inTransaction(context, template -> template.lock(forNoKeyUpdate(three))))
                    .hasMessageContaining("rowlock.lock-budget")
                    .hasCauseInstanceOf(LockTargetException.class);
        }
        var context = BootApplication.start(database, Orders.class, "rowlock.lock-budget=3");
        inTransaction(context, template -> template.lock(forNoKeyUpdate(three)));
    }

    private static void inTransaction(
            ConfigurableApplicationContext context, java.util.function.Consumer<RowLockTemplate> work) {
        RowLockTemplate template = context.getBean(RowLockTemplate.class);
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> work.accept(template));
    }

    @Tag("long")
    @Test
    void admissionIsConfigured() throws Exception {
        var context = BootApplication.start(
                database, Orders.class, "rowlock.admission.enabled=false", "rowlock.admission.max-waiters-per-key=1");
        assertThat(context.getBean(RowLockSettings.class).admission()).isFalse();
        KeyQueues queues = TestContext.queues(context);
        List<LockKey> key = List.of(LockKey.row("orders", 1));
        KeyEntries first = TestContext.calls(context).admit("a database", forUpdate(key), null);
        CompletableFuture<Void> second = Blocking.run(() -> TestContext.calls(context)
                .admit("a database", forUpdate(key), null)
                .close());
        TestDatabase.await().until(() -> queues.entrants().size() == 2);
        CompletableFuture<Void> third = Blocking.run(() -> TestContext.calls(context)
                .admit("a database", forUpdate(key), null)
                .close());
        assertThatThrownBy(() -> TestDatabase.result(third))
                .cause()
                .isInstanceOf(LockNotAvailableException.class)
                .hasMessageContaining("maxWaitersPerKey()");
        first.close();
        TestDatabase.result(second);
        assertThat(queues.keysInUse()).isZero();
    }

    @Test
    void canBeSwitchedOff() {
        var context = BootApplication.start(database, Orders.class, "rowlock.enabled=false");
        assertThat(context.getBeanNamesForType(RowLocks.class)).isEmpty();
        assertThat(context.getBeanNamesForType(RowLockTemplate.class)).isEmpty();
        assertThat(context.getBean(Orders.class).locksWhileShipping(7)).isEmpty();
    }

    @Test
    void withoutADataSourceThereIsNothing() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RowLockAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RowLocks.class)
                        .doesNotHaveBean(RowLocksEndpoint.class));
    }

    @Import(Orders.class)
    static class WithOwnBeans {
        @Bean
        RowLocks locks() {
            return LockAccess.builder().strategy("orders", LockStrategy.ROW).build();
        }

        @Bean
        RowLockSettings settings() {
            return new TestSettings()
                    .defaultWait(Duration.ZERO)
                    .admission(false)
                    .verify(false);
        }

        /** The bean has the most likely name. */
        @Bean
        RowLockTemplate rowLockTemplate(
                SpringLocks locks, PlatformTransactionManager transactions, javax.sql.DataSource dataSource) {
            return new RowLockTemplate(locks, transactions, dataSource);
        }
    }

    @Test
    void beansOfTheApplicationTakePrecedence() {
        var context = BootApplication.start(database, WithOwnBeans.class, "rowlock.tables.orders.strategy=both");
        assertThat(LockAccess.of(context.getBean(RowLocks.class)).tables().strategyOf(LockKey.row("orders", 1)))
                .isEqualTo(LockStrategy.ROW);
        assertThat(context.getBean(Orders.class).locksWhileShipping(7)).isEmpty();
        assertThat(context.getBean(RowLockSettings.class).admission()).isFalse();
        assertThat(context.getBeanProvider(RowLockTemplate.class).getObject())
                .isSameAs(context.getBean("rowLockTemplate"));
    }

    @Import(Orders.class)
    static class WithListeners {
        final List<String> told = new CopyOnWriteArrayList<>();

        @Bean
        @org.springframework.core.annotation.Order(1)
        LockListener failing() {
            return acquisition -> {
                throw new IllegalStateException("this listener always fails");
            };
        }

        @Bean
        @org.springframework.core.annotation.Order(2)
        LockListener listening() {
            return acquisition -> acquisition.keys().forEach(key -> told.add(key + " " + acquisition.outcome()));
        }
    }

    @Tag("long")
    @Test
    void everyListenerIsToldAlsoBehindOneThatThrows() {
        var context = BootApplication.start(database, WithListeners.class);
        assertThat(context.getBean(Orders.class).locksWhileShipping(3)).hasSize(1);
        assertThat(context.getBean(WithListeners.class).told).contains("orders[3] ACQUIRED");
    }
}
