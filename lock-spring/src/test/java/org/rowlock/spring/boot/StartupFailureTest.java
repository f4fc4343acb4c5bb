package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.RowLocks;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.spring.RowLock;
import org.rowlock.testing.TestDatabase;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

/** Checks the messages of an application that does not start, or that locks tables only by advisory locks. */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
class StartupFailureTest {
    private CapturedOutput output;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key)",
            "create table stock (id bigint primary key, number text not null)",
            "create table customer (id bigint primary key)",
            "create table order_lines (order_id bigint, line int, primary key (order_id, line))",
            "create view open_orders as select * from orders");

    @BeforeEach
    void capture(CapturedOutput captured) {
        output = captured;
    }

    static class Orders {
        @Transactional
        public void ship(@RowLock("orders") long orderId) {}
    }

    static class UnknownTable {
        @Transactional
        public void ship(@RowLock("ordrs") long orderId) {}
    }

    @Test
    void unknownTable() {
        assertFails(UnknownTable.class);
        assertSays(
                "Description:",
                "@RowLock on UnknownTable.ship(long) names ordrs, which is not a table in the database",
                "The tables are: ",
                "Action:",
                "Write the name as in SQL, with its schema if necessary. ",
                "If each tenant has a schema of its own, set rowlock.verify=false instead.");
    }

    static class OfAView {
        @Transactional
        public void ship(@RowLock("open_orders") long orderId) {}
    }

    @Test
    void aViewNeedsRowLocksAndIdColumns() {
        assertFails(OfAView.class);
        assertSays("@RowLock on OfAView.ship(long): ", "open_orders", "view", "underlying table");
        BootApplication.start(
                        database,
                        OfAView.class,
                        "rowlock.tables.open_orders.strategy=row",
                        "rowlock.tables.open_orders.id-columns=id")
                .close();
    }

    static Stream<Arguments> badProperties() {
        return Stream.of(
                arguments("rowlock.stratgey=row", List.of("[rowlock.stratgey] were left unbound", "commandLineArgs")),
                arguments(
                        "rowlock.tables.shop.orders.strategy=row",
                        List.of("[rowlock.tables.shop.orders.strategy] were left unbound")),
                arguments(
                        "rowlock.tables.orders.strategy=bth",
                        List.of(
                                "rowlock.tables.orders.strategy",
                                "bth",
                                "The following values are valid:",
                                "ADVISORY",
                                "BOTH",
                                "ROW")),
                arguments(
                        "rowlock.lock-wait=soon",
                        List.of(
                                "rowlock.lock-wait",
                                "'soon' is not a wait; write forever, nowait, or a duration such as 200ms, up to 24d")),
                arguments("rowlock.lock-wait=-1s", List.of("'-1s' is not a wait; write forever, nowait")),
                arguments("rowlock.lock-wait=30d", List.of("'30d' is not a wait; write forever")),
                arguments(
                        "rowlock.lock-budget=0",
                        List.of("The property rowlock.lock-budget cannot be used: lockBudget is 0; give at least 1")),
                arguments(
                        "rowlock.tables.order_line.strategy=row",
                        List.of(
                                "The configuration of table order_line names order_line, which is not a table in the database")),
                arguments(
                        "rowlock.tables[order lines].strategy=row",
                        List.of("The property rowlock.tables[order lines].strategy cannot be used: ")),
                arguments(
                        "spring.datasource.hikari.read-only=true",
                        List.of("read-only", "Connect to the primary with connections that may write.")));
    }

    @ParameterizedTest
    @MethodSource("badProperties")
    void propertyThatCannotBeUsed(String property, List<String> parts) {
        assertFails(Orders.class, property);
        assertSays(parts.toArray(String[]::new));
    }

    /** The check also runs if the application has no annotations, because a template may lock later. */
    @ParameterizedTest
    @ValueSource(classes = {Orders.class, NothingAnnotated.class})
    void poolOfOneConnection(Class<?> component) {
        assertFails(
                component,
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=250");
        assertSays(
                "Advisory locks could not be verified, which requires two connections at a time",
                "with a pool of at least two connections");
    }

    static class NothingAnnotated {}

    /** Without annotations, the application possibly does not intend to lock in this database. */
    @Test
    void aDatabaseThatCannotBeLockedInIsNoFailureWithoutAnyAnnotation() {
        BootApplication.start(
                database,
                NothingAnnotated.class,
                "spring.datasource.hikari.read-only=true",
                "logging.level.org.rowlock=warn");
        assertThat(output.getOut()).contains("Advisory locks are not verified, and no bean has @RowLock: ");
    }

    /** The drop-in locks rows even if advisory locks do not work. */
    @Test
    void theDropInAloneStartsWithAnyDatabase() {
        String[] poolOfOne = {
            "rowlock.jdbc.mode=queue",
            "spring.datasource.hikari.maximum-pool-size=1",
            "spring.datasource.hikari.connection-timeout=250",
            "logging.level.org.rowlock=warn"
        };
        BootApplication.start(database, NothingAnnotated.class, poolOfOne).close();
        assertThat(output.getOut())
                .contains("Advisory locks are not verified, and only the drop-in (rowlock.jdbc.mode) is in use")
                .contains("at least two connections");

        assertFails(LocksItself.class, poolOfOne);
        assertFails(Orders.class, poolOfOne);
    }

    static class LocksItself {
        // The bean is of a JDK class. A class of this test would count as one of Rowlock's classes, because of its
        // package.
        @Bean
        AtomicReference<RowLocks> lockingBean(RowLocks locks) {
            return new AtomicReference<>(locks);
        }
    }

    private void assertFails(Class<?> configuration, String... properties) {
        assertThatThrownBy(() -> BootApplication.start(database, configuration, properties))
                .isNotNull();
    }

    private void assertSays(String... parts) {
        assertThat(output.getOut()).contains("APPLICATION FAILED TO START").contains(parts);
    }

    private String start(String... properties) {
        int before = output.getAll().length();
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "logging.level.org.rowlock=warn";
        BootApplication.start(database, Orders.class, all);
        return output.getAll().substring(before);
    }

    @Test
    void aTableWithoutAGuardIsSaidOnceWithTheSql() {
        String log = start(
                "rowlock.tables.orders.strategy=advisory",
                "rowlock.tables.stock.strategy=advisory",
                "rowlock.tables.stock.id-columns=number",
                "rowlock.tables.customer.strategy=both");

        assertThat(log)
                .containsOnlyOnce("is not guarded against writers that do not lock through Rowlock")
                .contains("orders (no guard), stock (no guard).")
                .contains("java -jar lock-guard.jar")
                .contains("select rowlock.install_guard('orders');")
                .contains("select rowlock.install_guard('stock', id_columns => array['number']);")
                .contains("rowlock.missing-guard=ignore");
    }

    @Test
    void theSqlThatItSaysSatisfiesIt() throws Exception {
        database.execute(RowLockGuard.schemaSql());
        String log = start("rowlock.tables.orders.strategy=advisory");
        database.execute(
                log.substring(log.indexOf("select rowlock."), log.indexOf(';', log.indexOf("select rowlock."))));

        assertThat(start("rowlock.tables.orders.strategy=advisory", "rowlock.missing-guard=fail"))
                .doesNotContain("guarded");
        database.execute("alter table orders disable trigger rowlock_guard");
        assertThat(start("rowlock.tables.orders.strategy=advisory"))
                .contains("orders (its guard is switched off by DISABLE TRIGGER)");
    }

    @Test
    void aPropertyMakesItAnError() {
        assertBadDefinition(() -> start("rowlock.tables.orders.strategy=advisory", "rowlock.missing-guard=fail"));
        assertThat(output.getAll()).contains("Description:", "orders (no guard)", "Action:", "Install the guard");
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.tables.orders.strategy=advisory, rowlock.missing-guard=ignore",
        "rowlock.strategy=both, rowlock.missing-guard=fail"
    })
    void aPropertySilencesItAndOtherStrategiesNeedNone(String strategy, String reaction) {
        assertThat(start(strategy, reaction)).doesNotContain("guarded");
    }
}
