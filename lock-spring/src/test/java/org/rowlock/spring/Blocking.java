package org.rowlock.spring;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.rowlock.testing.TestDatabase;

/** Schedules calls whose connections the test does not control. The server shows which session waits. */
public final class Blocking {
    /** Starts a new thread for each task, so that no task waits for another task. */
    public static final Executor NEW_THREAD = task -> {
        Thread thread = new Thread(task, "call");
        thread.setDaemon(true);
        thread.start();
    };

    private Blocking() {}

    public static CompletableFuture<Void> run(Runnable call) {
        return CompletableFuture.runAsync(call, NEW_THREAD);
    }

    /** Waits until a session waits for the given server process, and returns the process of the waiting session. */
    public static int awaitWaiterBehind(DataSource dataSource, int backend) {
        return TestDatabase.await("a session behind " + backend)
                .until(() -> waiterBehind(dataSource, backend), waiter -> waiter != 0);
    }

    /** Waits until the given server process waits for a lock. */
    public static void awaitWaiting(DataSource dataSource, int backend) {
        TestDatabase.await("backend " + backend + " in a wait")
                .until(() -> first(dataSource, "select cardinality(pg_blocking_pids(" + backend + "))") > 0);
    }

    private static int waiterBehind(DataSource dataSource, int backend) throws SQLException {
        return first(
                dataSource,
                "select pid from pg_stat_activity where wait_event_type = 'Lock' and " + backend
                        + " = any (pg_blocking_pids(pid))");
    }

    private static int first(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getInt(1) : 0;
        }
    }
}
