package org.rowlock.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command line of the jar prints what the class gives. */
class MainTest {
    @Test
    void itPrintsTheSqlOfTheClass() {
        assertThat(Main.sql("guard", "account", "shop.\"Order\""))
                .isEqualTo(RowLockGuard.sql("account", "shop.\"Order\""));
        assertThat(Main.sql("guard", "--budget", "5", "account", "--id-columns", "a,b"))
                .isEqualTo(RowLockGuard.schemaSql() + RowLockGuard.guardSql("account", 5, List.of("a", "b")));
        assertThat(Main.sql("audit", "account", "--sample", "0.01"))
                .isEqualTo(RowLockGuard.schemaSql() + RowLockGuard.auditSql("account", 0.01, List.of()));
        assertThat(Main.sql("remove-guard", "account")).isEqualTo(RowLockGuard.guardRemovalSql("account"));
        assertThat(Main.sql("remove-audit", "account")).isEqualTo(RowLockGuard.auditRemovalSql("account"));
        assertThat(Main.sql("remove")).isEqualTo(RowLockGuard.removalSql());
        assertThat(Main.sql()).isEqualTo(Main.sql("--help")).contains("guard TABLE...");
    }

    @Test
    void theSqlPassesTheToolsOfMigrations() {
        // Flyway and Liquibase would replace ${...}; a driver would take ? for a parameter in a prepared statement
        // only.
        assertThat(RowLockGuard.sql("account")).doesNotContain("${").contains("select rowlock.install_guard('account'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "protect account|There is no command protect",
                "guard|No table is named",
                "guard --budget|--budget needs a value",
                "guard account --budget many|--budget many is not a number",
                "guard account --budget 0|The budget is 0",
                "guard account --sample 1|There is no option --sample here",
                "audit account --sample 2|The sample is 2.0",
                "guard a.b.c.d|has more than 3 parts",
                "remove account|it removes everything"
            })
    void whatItDoesNotUnderstandItRefuses(String arguments, String message) {
        assertThatThrownBy(() -> Main.sql(arguments.split(" ")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
