package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;

/** What the documentation shows. */
class DropInExampleTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @Test
    void wrapsADataSource() throws SQLException {
        DataSource pool = database.dataSource();
        // snippet: wrap
        RowlockDataSource dataSource = RowlockDataSource.wrap(pool); // the only change
        // end
        try (dataSource) {
            lock(dataSource);
            // snippet: switch
            dataSource.control().set("mode", "off"); // every connection, from the next statement on
            // end
            assertThat(dataSource.control().getSettings().get("mode")).isEqualTo("off");
            lock(dataSource);
        }
    }

    @Test
    void observesSomeTables() throws SQLException {
        DataSource pool = database.dataSource();
        // snippet: settings
        RowlockDataSource dataSource =
                RowlockDataSource.wrap(pool, "shop", Map.of("mode", "observe", "exclude", "audit_log"));
        // end
        try (dataSource) {
            lock(dataSource);
            assertThat(dataSource.control().getFigures().get("account")).containsEntry("recognised", 1L);
        }
    }

    @Test
    void flushesWithTheCommit() throws SQLException {
        try (RowlockDataSource dataSource =
                        RowlockDataSource.wrap(database.dataSource(), "test", Map.of("flushWithCommit", "true"));
                Connection connection = TestDatabase.begin(dataSource)) {
            // snippet: flush
            // The tables for which the framework expects update counts of 1.
            CommitFlush.open(connection, Set.of("account")::contains);
            // end
            assertThat(CommitFlush.open(connection, table -> true)).isTrue();
        }
    }

    private static void lock(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("select * from account where id = ? for update")) {
            connection.setAutoCommit(false);
            select.setInt(1, 1);
            assertThat(select.executeQuery().next()).isTrue();
            connection.commit();
        }
    }
}
