package org.rowlock.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;

class DemoCountersTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase("create table t (id int)", "insert into t values (1)");

    @Test
    void twoSharersOfARowMakeAMultiXactAndLeaveTheirXidsAndWal() throws SQLException {
        try (Connection observer = database.dataSource().getConnection();
                Connection first = database.dataSource().getConnection();
                Connection second = database.dataSource().getConnection()) {
            DemoCounters before = DemoCounters.read(observer);
            share(first);
            share(second);
            first.commit();
            second.commit();
            DemoCounters used = DemoCounters.read(observer).since(before);

            assertThat(used.multiXacts()).isPositive();
            assertThat(used.xids()).isGreaterThanOrEqualTo(2);
            assertThat(used.walBytes()).isPositive();
        }
    }

    @Test
    void theNumberOfMultiXactsMayGoRound() {
        DemoCounters before = new DemoCounters(0, 0, Integer.MAX_VALUE);
        DemoCounters after = new DemoCounters(0, 0, Integer.MIN_VALUE);

        assertThat(after.since(before).multiXacts()).isEqualTo(1);
    }

    private static void share(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("select from t for share");
        }
    }
}
