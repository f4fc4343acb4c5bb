package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.testing.TestDatabase;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/** What an application says at startup of tables that are locked by key alone. */
@Tag("long")
@ExtendWith(OutputCaptureExtension.class)
class MissingGuardTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key)",
            "create table stock (id bigint primary key, number text not null)",
            "create table customer (id bigint primary key)");

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

        @Transactional
        public void cancel(@RowLock("orders") long orderId) {}
    }

    private String start(String... properties) {
        int before = output.getAll().length();
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "logging.level.org.rowlock=warn";
        BootApplication.start(database, Application.class, all).close();
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
        assertThatThrownBy(() -> start("rowlock.tables.orders.strategy=advisory", "rowlock.missing-guard=fail"))
                .isInstanceOf(RowLockDefinitionException.class);
        assertThat(output.getAll()).contains("Description:", "orders (no guard)", "Action:", "Install the guard");
    }

    @Test
    void aPropertySilencesIt() {
        assertThat(start("rowlock.tables.orders.strategy=advisory", "rowlock.missing-guard=ignore"))
                .doesNotContain("guarded");
    }

    @Test
    void otherStrategiesNeedNone() {
        assertThat(start("rowlock.strategy=both", "rowlock.missing-guard=fail")).doesNotContain("guarded");
    }
}
