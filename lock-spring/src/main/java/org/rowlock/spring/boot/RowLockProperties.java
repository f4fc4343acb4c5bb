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
 * @param lockWait How long a call waits for its lock if the call names no wait: forever, nowait, or a duration such as
 *     200ms. The wait is never longer than the transaction's timeout.
 * @param lockBudget The largest number of distinct advisory locks in one call.
 * @param admission The queues in the JVM.
 * @param verify Whether to check at startup that locks exclude each other, and that tables exist and may be locked. Ids
 *     with several parts are compared with the primary key.
 * @param missingGuard The reaction at startup to a table that has strategy ADVISORY and no guard trigger: warn, fail or
 *     ignore.
 * @param unlockedMethods The reaction at startup to methods with @RowLock that lock nothing: warn or fail. Causes:
 *     Rowlock is disabled, the method's bean was created too early, or the method's own class calls it.
 * @param singleEntryNode Whether all clients of a database on several machines, such as Citus, connect to the same
 *     machine. Rowlock cannot check this.
 * @param largestGroup How many calls of execute for one key may share a transaction, as a group; 1 disables groups. A
 *     group uses the connection of one caller, so do not enable groups if connections belong to the user or tenant of a
 *     thread.
 * @param release When a commit releases the locks: plain (when the commit is durable) or early (sooner, if other
 *     transactions wait). This applies to transactions of RowLocks and of a RowLockTransactionManager.
 * @param front When a transaction with strategy ROW acquires an advisory lock before its first row lock: adaptive (if
 *     enough instances contend for the row), always or never.
 * @param lockEntities Whether Hibernate's own find may lock the row of a JPA entity, and read the entity in the same
 *     round trip. Rowlock uses this find only if it locks exactly that row.
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
     * @param strategy The strategy; by default the value of rowlock.strategy.
     * @param idColumns The id columns as the catalog has them, if they are not the primary key.
     */
    public record Table(
            @Nullable LockStrategy strategy, @DefaultValue List<String> idColumns) {}

    /**
     * The queues in the JVM, which a call enters before it borrows a connection.
     *
     * @param enabled Whether calls queue in the JVM before they borrow a connection.
     * @param timeout The longest time that a call may spend in the queue, even if it may wait longer for its lock; zero
     *     for no wait. Default: the connection timeout of HikariCP, or 30 s with another pool.
     * @param maxWaitersPerKey The largest number of threads in the queue of one key; further threads are rejected.
     *     Default: no limit if all tables have the strategy ROW; otherwise half of the threads of Tomcat or Jetty, or
     *     1000 without these servers or with virtual threads.
     * @param maxAdmittedPerKey How many exclusive requests for one key may be at the server at once, including the lock
     *     holder. Each request uses a connection. Default: 2, and up to 8 for keys that are held only briefly. If set,
     *     the number also limits the queue of strategy ROW.
     */
    public record Admission(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration timeout,
            @Nullable Integer maxWaitersPerKey,
            @Nullable Integer maxAdmittedPerKey) {}

    /**
     * The queue of lock-jdbc, which wraps the DataSources of the application if a mode is set.
     *
     * @param mode How lock-jdbc treats statements that lock a row: off, observe or queue. Without a mode no DataSource
     *     is wrapped.
     * @param include The tables to which lock-jdbc applies; by default all tables.
     * @param exclude The tables to which lock-jdbc does not apply.
     * @param front When lock-jdbc acquires an advisory lock before the first row lock of a transaction: adaptive,
     *     always or never.
     * @param flushWithCommit Whether Hibernate's last writes in a transaction are sent with the COMMIT, in one round
     *     trip. This applies only with rowlock.jdbc.mode=queue.
     */
    public record Jdbc(
            @Nullable String mode,
            @DefaultValue List<String> include,
            @DefaultValue List<String> exclude,
            @DefaultValue("adaptive") LockFront front,
            @DefaultValue("true") boolean flushWithCommit) {}
}
