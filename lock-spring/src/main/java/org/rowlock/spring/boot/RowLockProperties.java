package org.rowlock.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.spring.Reaction;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code rowlock.*}. An unknown property of this prefix stops the application. Immutable. The
 * descriptions are sentences, because IDEs and docs/settings.md show them.
 *
 * @param enabled Whether Rowlock is enabled. If not, @RowLock locks nothing.
 * @param strategy The strategy of tables for which no strategy is set.
 * @param tables The settings of one table: its strategy and id-columns. Write a name with a schema in brackets:
 *     rowlock.tables[shop.orders].strategy.
 * @param lockWait How long a lock waits if the call names no wait: forever, nowait, or a duration such as 200ms. The
 *     wait is never longer than the transaction's timeout.
 * @param lockBudget The largest number of distinct advisory locks in one call.
 * @param admission The queues in the JVM.
 * @param verify Whether to check at startup that locks exclude each other, that tables exist, and that ids match the
 *     primary key.
 * @param missingGuard The reaction at startup to a table with strategy ADVISORY and no guard: warn, fail or ignore.
 * @param unlockedMethods The reaction at startup to methods with @RowLock that lock nothing: warn or fail. Causes:
 *     Rowlock is disabled, the method's bean was created too early, or the method's own class calls it.
 * @param singleEntryNode Declares that all clients of a database of several machines, such as Citus, connect to the
 *     same machine.
 * @param largestGroup How many calls of LockOperation.execute that wait for one key may share a transaction, on the
 *     connection of one of them; 1 disables groups. Do not enable groups if connections belong to the user or tenant of
 *     a thread.
 * @param release When a commit releases the locks: plain (when the commit is durable) or early (before the commit is
 *     durable, if other transactions wait). This applies to inTransaction and a RowLockTransactionManager.
 * @param front When Rowlock acquires an advisory lock before the first row lock with strategy ROW: adaptive (when
 *     enough instances contend for the row), always or never.
 * @param lockEntities Whether Hibernate's own find locks the row of a JPA entity, and reads the entity in the same
 *     round trip. Hibernate's statement is used only if it locks exactly like Rowlock's statement.
 * @param jdbc The queue of lock-jdbc for the row locks of the application's own SQL.
 */
@ConfigurationProperties(prefix = "rowlock", ignoreUnknownFields = false)
public record RowLockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("row") LockStrategy strategy,
        @DefaultValue Map<String, Table> tables,
        @DefaultValue("forever") String lockWait,
        @DefaultValue("1000") int lockBudget,
        @DefaultValue Admission admission,
        @DefaultValue("true") boolean verify,
        @DefaultValue("warn") Reaction missingGuard,
        @DefaultValue("warn") Reaction unlockedMethods,
        @DefaultValue("false") boolean singleEntryNode,
        @DefaultValue("1") int largestGroup,
        @DefaultValue("plain") LockRelease release,
        @DefaultValue("adaptive") LockFront front,
        @DefaultValue("true") boolean lockEntities,
        @DefaultValue Jdbc jdbc) {

    /**
     * The settings of one table.
     *
     * @param strategy The strategy; by default the strategy of all tables.
     * @param idColumns The id columns as the catalog has them, if they are not the primary key.
     */
    public record Table(
            @Nullable LockStrategy strategy, @DefaultValue List<String> idColumns) {}

    /**
     * The queues in the JVM, which a call enters before it borrows a connection.
     *
     * @param enabled Whether calls queue in the JVM before a connection is borrowed.
     * @param timeout The longest time for which a call may queue, even if its wait is longer. Default: the connection
     *     timeout of the pool.
     * @param maxWaitersPerKey The largest number of threads that may wait for one key; further threads are rejected.
     *     Default: no limit if all tables have the strategy ROW; otherwise half of the threads of the web server, or
     *     1000 without a web server or with virtual threads.
     * @param maxAdmittedPerKey How many exclusive requests for a key are admitted at once: the holder, and the next
     *     transactions, which wait at the server. Each of them uses a connection. Default: the number starts at 2, and
     *     grows to 8 for keys that are held for less time than the next transaction takes to arrive.
     */
    public record Admission(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration timeout,
            @Nullable Integer maxWaitersPerKey,
            @Nullable Integer maxAdmittedPerKey) {}

    /**
     * The queue of lock-jdbc, which wraps the DataSources of the application if a mode is set.
     *
     * @param mode The treatment of statements that lock a row: off, observe or queue. Without a mode no DataSource is
     *     wrapped.
     * @param include The tables to which lock-jdbc applies; by default all tables.
     * @param exclude The tables to which lock-jdbc does not apply.
     * @param front When lock-jdbc acquires an advisory lock before the first row lock of a transaction: adaptive,
     *     always or never.
     * @param flushWithCommit Whether Hibernate's last writes of a transaction are sent with its COMMIT, in one round
     *     trip. This applies only with rowlock.jdbc.mode=queue.
     */
    public record Jdbc(
            @Nullable String mode,
            @DefaultValue List<String> include,
            @DefaultValue List<String> exclude,
            @DefaultValue("adaptive") LockFront front,
            @DefaultValue("true") boolean flushWithCommit) {}
}
