package org.rowlock.spring.test;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What was there before a test, and the comparison when it is closed. */
// Both interfaces: JUnit before 5.13 closes the one alone, and its newer versions are about to drop it.
final class LeakCheck implements CloseableResource, AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(10);

    private final String test;
    private final TestedContext tested;
    private final Duration grace;
    private final Map<String, Set<List<Object>>> sessionsBefore = new HashMap<>();
    private final List<Object> boundBefore;
    private final int keysBefore;

    LeakCheck(String test, TestedContext tested, Duration grace) {
        this.test = test;
        this.tested = tested;
        this.grace = grace;
        this.boundBefore = bound();
        this.keysBefore = tested.locks().admission().keysInUse();
        tested.dataSources()
                .forEach((name, dataSource) -> sessionsBefore.put(
                        name, read("before", name, dataSource).keySet()));
        tested.begin();
    }

    /**
     * Fails the test if there is more than before.
     *
     * @throws AssertionError with what is left behind
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
                    + "\nEnd every transaction and return its connection, give back session locks with"
                    + " pg_advisory_unlock, and close every admission permit, also where an exception passes. What"
                    + " ends by itself was given " + grace.toMillis() + " ms: @RowLockTest(graceMillis = ...).");
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
        int keys = tested.locks().admission().keysInUse();
        if (keys > keysBefore) {
            left.add("admission permits: " + keys + " keys have somebody in or past their queue, and " + keysBefore
                    + " had before the test");
        }
        return left;
    }

    private Map<List<Object>, String> read(String when, String name, DataSource dataSource) {
        try {
            return ServerSessions.read(dataSource);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "@RowLockTest cannot ask the server of " + name + " " + when + " " + test
                            + " what is open. It borrows one connection: a pool that has none left may be of one"
                            + " connection, or have lost the others to a leak.",
                    e);
        }
    }

    /** Also reports a transaction that has not run a statement, of which the server knows nothing. */
    private static List<Object> bound() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                ? TransactionSynchronizationManager.getResourceMap().values().stream()
                        .filter(ResourceHolder.class::isInstance)
                        .toList()
                : List.of();
    }
}
