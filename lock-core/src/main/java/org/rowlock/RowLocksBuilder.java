package org.rowlock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.TableName;

/**
 * Collects the configuration of {@link RowLocks}. A number below 1, or a malformed name of a table, causes an {@link
 * IllegalArgumentException}. Not thread-safe.
 */
public final class RowLocksBuilder {
    LockStrategy strategy = LockStrategy.ROW;
    final Map<String, LockStrategy> strategies = new HashMap<>();
    final Map<String, List<String>> idColumns = new HashMap<>();
    int budget = 1_000;
    int maxAdmittedPerKey;
    int maxWaitersPerKey = 10_000;
    int largestGroup = 1;
    boolean singleEntryNode;
    LockRelease release = LockRelease.PLAIN;
    LockFront front = LockFront.ADAPTIVE;
    final List<LockListener> listeners = new ArrayList<>();
    private final Supplier<DataSource> dataSource;

    RowLocksBuilder(Supplier<DataSource> dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Sets the strategy of all tables that have no strategy of their own. The default is {@link LockStrategy#ROW}.
     *
     * @param strategy the strategy
     * @return this builder
     */
    public RowLocksBuilder strategy(LockStrategy strategy) {
        this.strategy = Arguments.notNull(strategy, "The strategy given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * Sets the strategy of one table.
     *
     * @param table the table, named as in the keys: {@code orders} and {@code public.orders} are two different names
     * @param strategy the strategy
     * @return this builder
     */
    public RowLocksBuilder strategy(String table, LockStrategy strategy) {
        Arguments.notNull(strategy, "The strategy given to RowLocks.builder(..) is null");
        strategies.put(TableName.normalize(table), strategy);
        return this;
    }

    /**
     * Sets the id columns of a table, if the ids in keys are not values of the primary key. The default is the primary
     * key. Only row locks need id columns. The columns must be NOT NULL and, together, unique.
     *
     * @param table the table, named as in the keys
     * @param columns at least one name, as in the catalog (without quotes), in the order of the parts of the id
     * @return this builder
     */
    public RowLocksBuilder idColumns(String table, String... columns) {
        if (Arguments.notNull(columns, "The columns given to RowLocks.builder(..) are null").length == 0) {
            throw new IllegalArgumentException("No id column of " + table + " is given; give at least one, or omit"
                    + " this setting to use the primary key");
        }
        for (String column : columns) {
            Arguments.text(column, "An id column of " + table, "the name as the catalog has it");
        }
        idColumns.put(TableName.normalize(table), List.of(columns));
        return this;
    }

    /**
     * Sets the largest number of distinct advisory locks that one call may request. The default is 1,000. A call with
     * more locks throws a {@link LockTargetException}. All sessions of a server share its lock table, so raise {@code
     * max_locks_per_transaction} before you raise this number.
     *
     * @param keys the number, at least 1
     * @return this builder
     */
    public RowLocksBuilder lockBudget(int keys) {
        this.budget = Arguments.positive(keys, "lockBudget");
        return this;
    }

    /**
     * Sets how many exclusive requests for one key are admitted to the server at the same time. Further requests <a
     * href="https://github.com/rowlock/rowlock/blob/main/docs/locks.md#admission">wait in this JVM</a>.
     *
     * <p>Calls of {@link LockOperation} wait in the admission queue of the key, before they borrow a connection. The
     * admitted requests are the lock holder and the next requests, which wait at the server with a connection. If the
     * number is 1, the key is free for at least a round trip whenever its holder changes.
     *
     * <p>A call of {@link TransactionLocks} already has its connection. The call waits in the {@code ROW} queue only if
     * its transaction has neither locked nor written a row. The lock must be for one row with {@link LockStrategy#ROW}
     * in an exclusive mode. More transactions may wait at the server if no thread of this JVM acquires the row within a
     * second.
     *
     * <p>By default the number adapts to the load: from 2 to 8 in the admission queue, and at least 4 in the {@code
     * ROW} queue. A number above the number of connections switches the queues off.
     *
     * @param threads the number, at least 1
     * @return this builder
     */
    public RowLocksBuilder maxAdmittedPerKey(int threads) {
        this.maxAdmittedPerKey = Arguments.positive(threads, "maxAdmittedPerKey");
        return this;
    }

    /**
     * Sets the largest number of threads that may wait in the admission queue of one key. The default is 10,000. If
     * that many threads are already waiting, a call throws a {@link LockNotAvailableException}.
     *
     * @param waiters the number, at least 1
     * @return this builder
     */
    public RowLocksBuilder maxWaitersPerKey(int waiters) {
        this.maxWaitersPerKey = Arguments.positive(waiters, "maxWaitersPerKey");
        return this;
    }

    /**
     * Sets how many calls of {@link LockOperation#execute} that wait for the same key may share one transaction, called
     * a group. The default is 1, which means that calls do not share transactions.
     *
     * <p><b>The writes of several threads then run on the connection of one of these threads.</b> Do not enable groups
     * if the login, the server or a setting such as {@code search_path} depends on the borrowing thread. <a
     * href="https://github.com/rowlock/rowlock/blob/main/docs/hot-rows.md#groups">Calls</a> whose effect may depend on
     * the connection for any other reason run alone. If the shared transaction fails, Rowlock rolls the transaction
     * back, and each call runs alone with its own outcome. If the outcome of the shared transaction is unknown, each
     * call throws a {@link CommitOutcomeUnknownException}.
     *
     * @param calls the number, at least 1, rounded down to a power of two; 32 is a good first number
     * @return this builder
     */
    public RowLocksBuilder largestGroup(int calls) {
        this.largestGroup = Arguments.positive(calls, "largestGroup");
        return this;
    }

    /**
     * Declares whether all clients connect to the same machine of a database that spans several machines, such as
     * Citus. The default is false: {@link RowLocks#verify} then refuses strategy {@link LockStrategy#ADVISORY} on such
     * a database, because an advisory lock on one machine excludes no session on another machine.
     *
     * @param declared whether all clients connect to the same machine; Rowlock cannot check this
     * @return this builder
     */
    public RowLocksBuilder singleEntryNode(boolean declared) {
        this.singleEntryNode = declared;
        return this;
    }

    /**
     * Sets when the commits of {@link LockOperation} and {@link TransactionLocks#commit} release the locks of their
     * transactions. The default is {@link LockRelease#PLAIN}.
     *
     * @param release when to release the locks
     * @return this builder
     */
    public RowLocksBuilder release(LockRelease release) {
        this.release = Arguments.notNull(release, "The release given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * Sets when Rowlock acquires a {@linkplain LockFront front lock}. The default is {@link LockFront#ADAPTIVE}.
     *
     * @param front when to acquire the front lock
     * @return this builder
     */
    public RowLocksBuilder front(LockFront front) {
        this.front = Arguments.notNull(front, "The front given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * Adds a listener, which is notified of the events in {@link LockListener}. By default there is no listener.
     *
     * @param listener the listener; thread-safe
     * @return this builder
     */
    public RowLocksBuilder listener(LockListener listener) {
        listeners.add(Arguments.notNull(listener, "The listener given to RowLocks.builder(..) is null"));
        return this;
    }

    /** {@return a new object with the configuration of this builder} */
    public RowLocks build() {
        return RowLocks.of(this, dataSource);
    }

    /**
     * When Rowlock acquires a front lock: an advisory lock that precedes the first row lock of a transaction, in the
     * same round trip. Unlike a row lock, an advisory lock is granted in the order of arrival, across all JVMs. The row
     * lock is always acquired too.
     *
     * <p>Rowlock acquires a front lock only in READ COMMITTED, and only with the first statement of a transaction. The
     * statement must lock one row with {@link LockStrategy#ROW} in an exclusive mode, and may wait; see <a
     * href="https://github.com/rowlock/rowlock/blob/main/docs/drop-in.md#the-front-lock">the rules</a>.
     */
    public enum LockFront {
        /** Acquires the front lock if measurements and the server show that many JVMs contend. This is the default. */
        ADAPTIVE,

        /**
         * Acquires the front lock even without contention, which makes transactions a few percent slower. There are two
         * exceptions. If a wait for the front lock of the row has timed out, the next transactions usually acquire no
         * front lock for a minute. Transactions also acquire no front lock while at least five clients without Rowlock
         * wait for the row, or are not counted yet. These clients do not queue for the front lock.
         */
        ALWAYS,

        /** Never acquires the front lock. */
        NEVER
    }

    /**
     * When a commit releases the locks of its transaction. With either value, the commit returns only when the
     * transaction is as durable as {@code synchronous_commit} requires.
     */
    public enum LockRelease {
        /**
         * Releases the locks only when the transaction is durable, as PostgreSQL does: after the commit's wait for the
         * disk and the synchronous standby. This is the default.
         */
        PLAIN,

        /**
         * Releases the locks as soon as the commit is in the server's memory. If Rowlock has noticed no other
         * transaction that waits for these locks, the locks are held until the transaction is durable, which costs
         * less. Until the transaction is durable, other transactions can see changes that a crash or a failover can
         * undo. Therefore a later commit with this setting returns only when all changes that its transaction may have
         * read are durable. This rule applies even to a transaction that wrote nothing.
         *
         * <p>Use this value if most of the time for which a row is locked is a wait for the disk or a standby. See <a
         * href="https://github.com/rowlock/rowlock/blob/main/docs/early-release.md#cost">the cost of a commit</a>.
         *
         * <p>Where the database, the role or the driver's settings do not support early release, <a
         * href="https://github.com/rowlock/rowlock/blob/main/docs/early-release.md#where-commits-stay-plain">commits
         * are plain</a>, and Rowlock logs the reason.
         */
        EARLY
    }
}
