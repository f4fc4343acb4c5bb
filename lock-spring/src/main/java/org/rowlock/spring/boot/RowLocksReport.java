package org.rowlock.spring.boot;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The content of {@link RowLocksEndpoint}; the report on one row contains only the {@code dataSources}. The JSON omits
 * components that are null.
 *
 * @param dataSources the locks by the names of the DataSource beans
 * @param admission the queues of this JVM
 * @param usages every {@link org.rowlock.spring.RowLock} in beans that exist: {@code bean}, {@code method} with class
 *     and parameter types; {@code table} with its {@code strategy}; {@code id} (a parameter or an expression), {@code
 *     mode}, and {@code lockWait} if it is not the configured default
 * @param jdbc the figures by the name of each DataSource that lock-jdbc wraps
 */
public record RowLocksReport(
        Map<String, Locks> dataSources,
        @Nullable Admission admission,
        @Nullable List<Map<String, Object>> usages,
        @Nullable Map<String, Jdbc> jdbc)
        implements OperationResponseBody {

    /**
     * The figures of lock-jdbc for one DataSource.
     *
     * @param mode off, observe or queue
     * @param figures the figures by table, then by name; see {@code RowlockJdbcMXBean}
     * @param hotRows the rows for which the most statements queued, or in mode observe would have queued in mode queue
     */
    public record Jdbc(String mode, Map<String, Map<String, Long>> figures, Map<String, Long> hotRows) {}

    /**
     * The advisory locks of one DataSource's database.
     *
     * @param locks one line for each lock and session. The lines of one key are adjacent: first the holders, then the
     *     waiters in the order in which they began to wait. The {@code key} of a line is the table and id, such as
     *     {@code orders[42]}, or the numbers of an advisory lock. A line also has the {@code mode}, which is {@code
     *     exclusive}, {@code shared}, or {@code front} for a front lock; {@code granted}; the server process {@code
     *     pid}, its {@code application} and {@code state}, such as {@code idle in transaction}; {@code transactionAge},
     *     the longest time for which a lock of the transaction can have been held; for a waiter {@code waitingFor} and
     *     the processes {@code blockedBy}. Times are in ISO-8601 (PT1.5S). {@code table} and {@code id} come from the
     *     key of the lock, or from the queues of this JVM
     * @param error the reason if the locks of the database could not be read
     */
    public record Locks(
            List<Map<String, Object>> locks, @Nullable String error) {}

    /**
     * The queues that calls enter before they borrow a connection.
     *
     * @param keysInUse the number of keys for which a thread waits in the queue, or has been admitted
     * @param waiting the number of threads in a queue
     * @param threads a line for each thread that waits in a queue or has been admitted, the oldest first: the bean
     *     {@code dataSource}; {@code table} and {@code id}, or the key as {@code id}; {@code mode}; the name of the
     *     thread; {@code admitted}, true if the thread no longer waits in the queue; and {@code since}, the time since
     *     the thread entered the queue or was admitted, in ISO-8601
     */
    public record Admission(int keysInUse, int waiting, List<Map<String, Object>> threads) {}
}
