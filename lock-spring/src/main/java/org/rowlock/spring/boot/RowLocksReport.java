package org.rowlock.spring.boot;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What {@link RowLocksEndpoint} reports; of one row it is the {@code dataSources} alone. What is null is left out of
 * the JSON.
 *
 * @param dataSources by the name of their beans
 * @param admission the queues of this JVM
 * @param usages every {@link org.rowlock.spring.RowLock} of the beans that exist: {@code bean}, {@code method} with
 *     class and parameter types, {@code table} with its {@code strategy}, {@code id} (a parameter or an expression),
 *     {@code mode}, and {@code lockWait} if it is not the configured default
 * @param strategyConflicts the instances that run beside this one and must not, a sentence each
 * @param jdbc by the name of the DataSources that lock-jdbc wraps
 */
public record RowLocksReport(
        Map<String, Locks> dataSources,
        @Nullable Admission admission,
        @Nullable List<Map<String, Object>> usages,
        @Nullable List<String> strategyConflicts,
        @Nullable Map<String, Jdbc> jdbc)
        implements OperationResponseBody {

    /**
     * What lock-jdbc does with the statements of a DataSource.
     *
     * @param mode off, observe or queue
     * @param figures by table, then by name; see {@code RowlockJdbcMXBean}
     * @param hotRows for which most statements queued, or would have
     */
    public record Jdbc(String mode, Map<String, Map<String, Long>> figures, Map<String, Long> hotRows) {}

    /**
     * The advisory locks of one DataSource's database.
     *
     * @param locks a line per lock and session: those of one key together, holders first, waiters in their order. It
     *     has the {@code key} as advisory lock functions take it, two numbers or one; {@code mode}, {@code exclusive},
     *     {@code shared}, or {@code front} for the lock in front of a row lock; {@code granted}; the server process
     *     {@code pid}, its {@code application} and {@code state}, such as {@code idle in transaction}; {@code
     *     transactionAge}, the most that the lock can be held for; of a waiter {@code waitingFor} and the processes
     *     {@code blockedBy}. Times are in ISO-8601 (PT1.5S). {@code
     *     table} and {@code id} are those that the lock shows, or else this JVM knows
     * @param error why there are none, if the database could not be asked
     */
    public record Locks(
            List<Map<String, Object>> locks, @Nullable String error) {}

    /**
     * The queues that calls enter before they borrow a connection.
     *
     * @param keysInUse how many keys have somebody in or past their queue
     * @param waiting how many threads stand in a queue
     * @param threads a line for each thread in or past a queue, those that have been there for the longest first: the
     *     bean {@code dataSource}, {@code table} and {@code id}, or the key as {@code id}, {@code mode}, the name of
     *     the thread, whether it is {@code admitted} and no longer waits in the queue, and {@code since} how long, in
     *     ISO-8601
     */
    public record Admission(int keysInUse, int waiting, List<Map<String, Object>> threads) {}
}
