package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.text.MessageFormat;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.rowlock.testing.CapturedLog;
import org.rowlock.testing.TestDatabase;

/** A setting that means nothing is named in the log. */
@Isolated("It looks at what the whole JVM logs")
class MisspeltSettingsTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(0);

    private interface Work {
        void run() throws Exception;
    }

    private static List<String> warnings(Work work) throws Exception {
        try (CapturedLog log = CapturedLog.of("org.rowlock")) {
            work.run();
            return log.records().stream()
                    .filter(logged -> logged.getLevel() == Level.WARNING)
                    .map(logged -> new MessageFormat(logged.getMessage()).format(logged.getParameters()))
                    .toList();
        }
    }

    @Test
    void aSystemPropertyThatIsNoneIsNamed() throws Exception {
        System.setProperty("rowlock.jdbc.mod", "observe");
        System.setProperty("rowlock.jdbc.front", "never");
        System.setProperty("rowlock.jdbc.flush-with-commit", "true");
        try {
            assertThat(warnings(
                            () -> RowlockDataSource.wrap(database.dataSource()).close()))
                    .singleElement()
                    .asString()
                    .contains("There is no setting <rowlock.jdbc.mod>", "rowlock.jdbc.mode");
        } finally {
            System.clearProperty("rowlock.jdbc.mod");
            System.clearProperty("rowlock.jdbc.front");
            System.clearProperty("rowlock.jdbc.flush-with-commit");
        }
    }

    @Test
    void aConfiguredTableThatDoesNotExistIsNamedOnce() throws Exception {
        String known = database.schema() + ".account";
        assertThat(warnings(() -> {
                    try (RowlockDataSource dataSource = RowlockDataSource.wrap(
                            database.dataSource(),
                            "test",
                            Map.of(
                                    "include", "account," + known + ", acount, elsewhere.account, Account",
                                    "exclude", "ordres, " + known))) {
                        for (int i = 0; i < 2; i++) {
                            try (Connection connection = dataSource.getConnection()) {
                                TestDatabase.execute(connection, "select 1");
                            }
                        }
                    }
                }))
                .singleElement()
                .asString()
                .contains("names [acount, elsewhere.account, ordres]", "no such table");
    }
}
