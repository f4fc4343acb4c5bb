package org.rowlock.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockFront;
import org.rowlock.LockRelease;
import org.rowlock.LockStrategy;
import org.rowlock.spring.Reaction;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code rowlock.*}. A property of this prefix that is not known stops the application. Immutable. The
 * descriptions are sentences, as IDEs and docs/settings.md show them.
 *
 * @param enabled Whether Rowlock is configured. If not, @RowLock locks nothing.
 * @param strategy The strategy of tables that have none of their own.
 * @param tables What differs for one table: its strategy and id-columns. A name with a schema goes in brackets:
 *     rowlock.tables[shop.orders].strategy.
 * @param lockWait How long a lock waits that names no wait: forever, nowait, or a duration such as 200ms. Never longer
 *     than the transaction's timeout.
 * @param lockBudget The most distinct advisory locks that one call may take.
 * @param admission The queues in the JVM.
 * @param verify Whether to prove at startup that locks exclude, and that tables and ids fit. If not, neither is watched
 *     later.
 * @param verifyEvery How often to try that again while running, on a thread of its own; 0 for never.
 * @param missingGuard The reaction at startup to a table with strategy ADVISORY and no guard: warn, fail or ignore.
 * @param unlockedMethods The reaction at startup to methods with @RowLock if Rowlock is off or too late: warn or fail.
 * @param selfInvocation The reaction at startup to calls of a class to its own methods with @RowLock, which lock
 *     nothing: warn or fail.
 * @param strategyConflict The reaction at startup to another instance that runs ROW beside ADVISORY: fail, warn or
 *     ignore. While running it is logged.
 * @param observeIds Whether observations, and so traces, have the id of the first row of a call.
 * @param singleEntryNode Declares that all clients enter a database of several machines, such as Citus, by the same
 *     one.
 * @param idsInMessages Whether the messages of exceptions name the ids of rows.
 * @param largestGroup How many calls of RowLocks.execute that wait for one key may share a transaction, on the
 *     connection of one of them; 1 is off. Not for connections that belong to the user or tenant of a thread.
 * @param release When a commit releases the locks: plain, when it is durable, or early, before, if others wait.
 *     For inTransaction and a RowLockTransactionManager.
 * @param front When an advisory lock goes in front of the first lock of a row with strategy ROW: adaptive, if so many
 *     want the row over all instances that it pays, always or never.
 * @param lockEntities Whether the lock of one row of a JPA entity is Hibernate's own find, which reads the entity in
 *     the same round trip, where its statement locks exactly as Rowlock's.
 * @param jdbc The queue of lock-jdbc in front of the row locks that the application's own SQL takes.
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
        @DefaultValue("10m") Duration verifyEvery,
        @DefaultValue("warn") Reaction missingGuard,
        @DefaultValue("warn") Reaction unlockedMethods,
        @DefaultValue("warn") Reaction selfInvocation,
        @DefaultValue("fail") Reaction strategyConflict,
        @DefaultValue("false") boolean observeIds,
        @DefaultValue("false") boolean singleEntryNode,
        @DefaultValue("true") boolean idsInMessages,
        @DefaultValue("1") int largestGroup,
        @DefaultValue("plain") LockRelease release,
        @DefaultValue("adaptive") LockFront front,
        @DefaultValue("true") boolean lockEntities,
        @DefaultValue Jdbc jdbc) {

    /**
     * What differs for one table.
     *
     * @param strategy The strategy; that of all tables if not given.
     * @param idColumns The id columns as the catalog has them, where they are not the primary key.
     */
    public record Table(
            @Nullable LockStrategy strategy, @DefaultValue List<String> idColumns) {}

    /**
     * The queues in the JVM, which a call enters before it borrows a connection.
     *
     * @param enabled Whether calls queue in the JVM before a connection is borrowed.
     * @param timeout The longest that a call may queue, whatever its wait. Default: the connection timeout of the pool.
     * @param maxWaitersPerKey The most threads that may wait for one key; one more is refused. Default: none if all
     *     tables have the strategy ROW; else half of the threads of the web server; 1000 without one, and with virtual
     *     threads.
     * @param maxAdmittedPerKey How many exclusive requests for a key are admitted at once: the holder, and the next,
     *     which waits at the server. Each takes a connection. Default: 2, and up to 8 if the key is held for less than
     *     the next needs to arrive.
     */
    public record Admission(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration timeout,
            @Nullable Integer maxWaitersPerKey,
            @Nullable Integer maxAdmittedPerKey) {}

    /**
     * The queue of lock-jdbc, which wraps the DataSources of the application where a mode is given.
     *
     * @param mode What is done about statements that lock a row: off, observe or queue. Without it nothing is wrapped.
     * @param include The tables to look at; all if none is given.
     * @param exclude The tables to leave out.
     * @param front When an advisory lock goes in front of the first lock of a transaction: adaptive, always or never.
     * @param flushWithCommit Whether Hibernate's last writes of a transaction go with its COMMIT, in one round trip.
     */
    public record Jdbc(
            @Nullable String mode,
            @DefaultValue List<String> include,
            @DefaultValue List<String> exclude,
            @DefaultValue("adaptive") LockFront front,
            @DefaultValue("false") boolean flushWithCommit) {}
}
