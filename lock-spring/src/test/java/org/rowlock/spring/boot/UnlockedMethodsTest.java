package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.RowLock;
import org.rowlock.testing.TestDatabase;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.annotation.Transactional;

/** Checks that an application logs locks that have no effect, and otherwise logs what its locks do. */
@ExtendWith(OutputCaptureExtension.class)
class UnlockedMethodsTest {
    private static final String LOG = "logging.level.org.rowlock=info";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(0, "create table orders (id bigint primary key)");

    @Transactional
    static class Service {
        public void one(@RowLock("account") long id) {}

        @RowLock(table = "account", id = "#id")
        @RowLock(table = "account", id = "#other")
        public void two(long id, long other) {}
    }

    @Test
    void switchedOffItWarnsWithTheNumberOfMethods(CapturedOutput output) {
        BootApplication.start(database, Service.class, "rowlock.enabled=false", LOG);
        assertThat(output)
                .contains("2 methods with @RowLock lock nothing, because rowlock.enabled is false: ")
                .contains("Service.one(long)", "Service.two(long, long)");
    }

    static class One {
        @RowLock(table = "account", id = "#id")
        public void one(long id) {}
    }

    @Test
    void oneMethodIsNamedInTheSingular(CapturedOutput output) {
        BootApplication.start(database, One.class, "rowlock.enabled=false", LOG);
        assertThat(output).contains("1 method with @RowLock locks nothing, because rowlock.enabled is false: One.one");
    }

    @Test
    void withoutItsAutoConfigurationItWarns(CapturedOutput output) {
        BootApplication.start(
                database,
                Service.class,
                "spring.autoconfigure.exclude=" + RowLockAutoConfiguration.class.getName(),
                LOG);
        assertThat(output).contains("2 methods with @RowLock lock nothing, because there is no DataSource");
    }

    @Test
    void onRequestTheApplicationDoesNotStart(CapturedOutput output) {
        assertThatThrownBy(() -> BootApplication.start(
                        database, Service.class, "rowlock.enabled=false", "rowlock.unlocked-methods=fail"))
                .hasMessageContaining("2 methods with @RowLock lock nothing");
        assertThat(output).contains("APPLICATION FAILED TO START", "rowlock.unlocked-methods=warn");
    }

    @Test
    void oneLineSaysWhatLocks(CapturedOutput output) {
        BootApplication.start(database, Service.class, "rowlock.tables.orders.strategy=advisory", LOG);
        assertThat(output)
                .contains("Rowlock verified: 2 methods with @RowLock, tables account (BOTH), orders (ADVISORY),"
                        + " admission on")
                .doesNotContain("nothing, because");
    }

    @Test
    void theLineNamesTheDropInWhereNothingElseLocks(CapturedOutput output) {
        BootApplication.start(database, BootApplication.Auto.class, "rowlock.jdbc.mode=queue", LOG);
        assertThat(output)
                .contains("Rowlock verified: the drop-in is in use, rowlock.jdbc.mode=queue; 0 methods with @RowLock");
    }
}
