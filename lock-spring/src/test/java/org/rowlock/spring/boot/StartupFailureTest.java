package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.RowLocks;
import org.rowlock.spring.RowLock;
import org.rowlock.testing.TestDatabase;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/** What a user reads when the application does not start. */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
class StartupFailureTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key)",
            "create table order_lines (order_id bigint, line int, primary key (order_id, line))");

    private CapturedOutput output;

    @BeforeEach
    void capture(CapturedOutput captured) {
        output = captured;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {}

    static class Orders {
        @Transactional
        public void ship(@RowLock("orders") long orderId) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(UnknownTable.Service.class)
    static class UnknownTable {
        static class Service {
            @Transactional
            public void ship(@RowLock("ordrs") long orderId) {}
        }
    }

    @Test
    void unknownTable() {
        assertFails(UnknownTable.class);
        assertSays(
                "Description:",
                "@RowLock on Service.ship(long) names ordrs, which is not a table in the database",
                "The tables are: ",
                "Action:",
                "Write the name as in SQL, with its schema if necessary.");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(UnknownParameter.Service.class)
    static class UnknownParameter {
        static class Service {
            @Transactional
            @RowLock(table = "orders", id = "#ordreId")
            public void ship(long orderId) {}
        }
    }

    @Test
    void unknownParameter() {
        assertFails(UnknownParameter.class);
        assertSays("The id of @RowLock on Service.ship(long) is '#ordreId'", "Action:");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(FinalMethod.Service.class)
    static class FinalMethod {
        static class Service {
            @Transactional
            public final void ship(@RowLock("orders") long orderId) {}
        }
    }

    @Test
    void methodThatNoProxyCanIntercept() {
        assertFails(FinalMethod.class);
        assertSays("the method is final, and no proxy can intercept it", "Make the method a plain method of the bean");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(NoEntity.Service.class)
    static class NoEntity {
        static class Service {
            @Transactional
            public void ship(@RowLock(entity = String.class) long orderId) {}
        }
    }

    @Test
    void entityWithoutATable() {
        assertFails(NoEntity.class);
        assertSays("names the entity java.lang.String, which has no table", "Name an entity class, or give the table");
    }

    @Test
    void unknownProperty() {
        assertFails(Application.class, "rowlock.stratgey=row");
        assertSays(
                "rowlock.stratgey=row",
                "commandLineArgs",
                "Rowlock does not know these properties",
                "Correct the name");
    }

    @Test
    void tableWithASchemaWithoutBrackets() {
        assertFails(Application.class, "rowlock.tables.shop.orders.strategy=row");
        assertSays(
                "rowlock.tables.shop.orders.strategy=row",
                "commandLineArgs",
                "Put a name with a schema in brackets: rowlock.tables[shop.orders].strategy=both");
    }

    @Test
    void unknownStrategy() {
        assertFails(Application.class, "rowlock.tables.orders.strategy=bth");
        assertSays(
                "rowlock.tables.orders.strategy", "bth", "The following values are valid:", "ADVISORY", "BOTH", "ROW");
    }

    @Test
    void waitThatIsNone() {
        assertFails(Application.class, "rowlock.lock-wait=soon");
        assertSays(
                "rowlock.lock-wait", "'soon' is not a wait; write forever, nowait, or a duration such as 200ms or 2s");
    }

    @Test
    void numberOutOfRange() {
        assertFails(Application.class, "rowlock.lock-budget=0");
        assertSays("The property rowlock.lock-budget cannot be used: lockBudget is 0; give at least 1");
    }

    @Test
    void configuredTableThatIsNone() {
        assertFails(Application.class, "rowlock.tables.order_line.strategy=row");
        assertSays("The configuration of table order_line names order_line, which is not a table in the database");
    }

    @Test
    void tableNameThatIsNone() {
        assertFails(Application.class, "rowlock.tables[order lines].strategy=row");
        assertSays("The property rowlock.tables[order lines].strategy cannot be used: ");
    }

    @Test
    void environmentVariableThatCannotNameItsTable() {
        assertThatThrownBy(() -> BootApplication.start(
                        database, Application.class, Map.of("ROWLOCK_TABLES_ORDER_LINES_STRATEGY", "row")))
                .isNotNull();
        assertSays(
                "The environment variable ROWLOCK_TABLES_ORDER_LINES_STRATEGY cannot be read",
                "--rowlock.tables.order_lines.strategy=both");
    }

    @Test
    void connectionsThatMayNotWrite() {
        assertFails(Application.class, "spring.datasource.hikari.read-only=true");
        assertSays("read-only", "Connect to the primary with connections that may write.");
    }

    @Test
    void poolOfOneConnection() {
        assertFails(
                Application.class,
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=250");
        assertSays(
                "Advisory locks could not be verified, which requires two connections at a time",
                "with a pool of at least two connections");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class NothingAnnotated {}

    /** Whoever locks with a template alone, or has just added the dependency, learns it now too. */
    @Test
    void poolOfOneConnectionWithoutAnyAnnotation() {
        assertFails(
                NothingAnnotated.class,
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=250");
        assertSays("with a pool of at least two connections");
    }

    /** Where nothing is annotated, a database to lock in may not be meant. */
    @Test
    void aDatabaseThatCannotBeLockedInIsNoFailureWithoutAnyAnnotation() {
        BootApplication.start(
                        database,
                        NothingAnnotated.class,
                        "spring.datasource.hikari.read-only=true",
                        "logging.level.org.rowlock=warn")
                .close();
        assertThat(output.getOut()).contains("Advisory locks are not verified, and no bean has @RowLock: ");
    }

    /** The drop-in locks rows as before, whatever becomes of advisory locks. */
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
        assertFails(Application.class, poolOfOne);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class LocksItself {
        // Not a class of Rowlock's, as it would be by its package.
        @Bean
        AtomicReference<RowLocks> lockingBean(RowLocks locks) {
            return new AtomicReference<>(locks);
        }
    }

    private void assertFails(Class<?> configuration, String... properties) {
        assertThatThrownBy(() -> BootApplication.start(database, configuration, properties)
                        .close())
                .isNotNull();
    }

    private void assertSays(String... parts) {
        assertThat(output.getOut()).contains("APPLICATION FAILED TO START").contains(parts);
    }
}
