package org.rowlock.spring.test;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockInspector.Line;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.internal.startup.StrategyWatch;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Records the state before a test, and compares the recorded state with the state when JUnit closes the store of the
 * test.
 */
// The class needs both interfaces: JUnit before 5.13 closes only a CloseableResource, and newer versions will remove
// CloseableResource.
final class LeakCheck implements CloseableResource, AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(10);

    /**
     * Selects the sessions of this program: all sessions with the user, client address and application name of the
     * current session.
     */
    private static final String SESSIONS = """
            select a.pid, case when a.pid = pg_backend_pid() then ', whose connection is back in the pool'
                     else concat(', ', a.state, ', last statement: ', a.query) end as doing,
                   case when a.pid <> pg_backend_pid() then a.xact_start::text end as begun
            from pg_catalog.pg_stat_activity as a
            where a.datname = current_database() and a.usename = session_user and a.backend_type = 'client backend'
              and a.application_name = current_setting('application_name')
              and a.client_addr is not distinct from inet_client_addr()
            """;

    private final String test;
    private final TestedContext tested;
    private final Duration grace;
    private final Map<String, Set<List<Object>>> sessionsBefore = new HashMap<>();
    private final List<Object> boundBefore;
    private final int keysBefore;

    private LeakCheck(ExtensionContext running) {
        Class<?> testClass = running.getRequiredTestClass();
        RowLockTest annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass, RowLockTest.class);
        test = testClass.getSimpleName() + "." + running.getRequiredTestMethod().getName();
        tested = TestedContext.of(SpringExtension.getApplicationContext(running));
        grace = Duration.ofMillis(annotation == null ? 0 : annotation.graceMillis());
        boundBefore = bound();
        keysBefore = LockAccess.of(tested.locks()).admission().keysInUse();
        tested.dataSources()
                .forEach((name, dataSource) -> sessionsBefore.put(
                        name, read("before", name, dataSource).keySet()));
        tested.begin();
    }

    static final class Extension implements BeforeEachCallback {
        @Override
        public void beforeEach(ExtensionContext running) {
            running.getStore(Namespace.create(LeakCheck.class)).put(LeakCheck.class, new LeakCheck(running));
        }
    }

    /**
     * Fails the test if locks, transactions or permits remain that did not exist before the test.
     *
     * @throws AssertionError if anything is left behind
     */
    @Override
    public void close() {
        tested.end();
        long deadline = System.nanoTime() + grace.toNanos();
        List<String> left = leftBehind();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(POLL.toNanos());
            left = leftBehind();
        }
        if (!left.isEmpty()) {
            throw new AssertionError(test + " has left behind:\n  - " + String.join("\n  - ", left)
                    + "\nEnd every transaction and return its connection, release session locks with"
                    + " pg_advisory_unlock, and close every admission permit, even after an exception. Work that ends"
                    + " by itself had " + grace.toMillis() + " ms: @RowLockTest(graceMillis = ...).");
        }
    }

    private List<String> leftBehind() {
        List<String> left = new ArrayList<>();
        if (tested.isOpen()) {
            tested.dataSources().forEach((name, dataSource) -> {
                Set<List<Object>> before = sessionsBefore.getOrDefault(name, Set.of());
                read("after", name, dataSource).forEach((identity, text) -> {
                    if (!before.contains(identity)) {
                        left.add("in " + name + ": " + text);
                    }
                });
            });
        }
        if (!boundBefore.containsAll(bound())) {
            left.add("a Spring transaction that is bound to the thread "
                    + Thread.currentThread().getName());
        }
        int keys = LockAccess.of(tested.locks()).admission().keysInUse();
        if (keys > keysBefore) {
            left.add("admission permits: " + keys + " keys have a thread that waits in their queue or was admitted, and"
                    + " " + keysBefore
                    + " had before the test");
        }
        return left;
    }

    /**
     * Returns the current locks and open transactions. Each key identifies a lock or a transaction, and is the same
     * before and after the test. Each value describes the lock or transaction for the message.
     */
    private Map<List<Object>, String> read(String when, String name, DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            if (!connection.isWrapperFor(PGConnection.class)) {
                return Map.of();
            }
            try {
                return read(connection);
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "@RowLockTest cannot check the server of " + name + " " + when + " " + test
                            + " for open transactions. The check borrows one connection. If the pool has no free"
                            + " connection, its size may be 1, or the test may have leaked connections.",
                    e);
        }
    }

    private Map<List<Object>, String> read(Connection connection) throws SQLException {
        Map<List<Object>, String> found = new LinkedHashMap<>();
        Map<Integer, String> sessions = new HashMap<>();
        // A JdbcTemplate is not used, because it would join a transaction of the thread.
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SESSIONS)) {
            while (row.next()) {
                int pid = row.getInt("pid");
                String begun = row.getString("begun");
                sessions.put(pid, " of server process " + pid + row.getString("doing"));
                if (begun != null) {
                    found.put(List.of(pid, begun), "an open transaction, begun " + begun + "," + sessions.get(pid));
                }
            }
        }
        for (Line line : new LockInspector(connection).all()) {
            if (line.isGranted() && sessions.containsKey(line.pid()) && !StrategyWatch.isWord(line)) {
                found.put(
                        List.of(line.pid(), line.key(), line.isShared()),
                        "an advisory lock on " + line.key() + (line.isShared() ? " (shared)" : " (exclusive)")
                                + sessions.get(line.pid()));
            }
        }
        return found;
    }

    /**
     * Returns the resources of the thread's transaction. If the transaction has not run a statement yet, the server
     * does not know the transaction.
     */
    private static List<Object> bound() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                ? TransactionSynchronizationManager.getResourceMap().values().stream()
                        .filter(ResourceHolder.class::isInstance)
                        .toList()
                : List.of();
    }
}
