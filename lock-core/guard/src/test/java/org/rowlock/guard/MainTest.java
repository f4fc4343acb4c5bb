package org.rowlock.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MainTest {
    @Test
    void itPrintsTheSchema() {
        PrintStream own = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Main.main(new String[0]);
        } finally {
            System.setOut(own);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo(RowLockGuard.schemaSql());
    }

    @Test
    void theSqlPassesTheToolsOfMigrations() {
        // Flyway and Liquibase would replace ${...}. A ? is allowed, because a driver treats a ? as a parameter only in
        // a prepared statement.
        assertThat(RowLockGuard.schemaSql()).doesNotContain("${");
    }
}
