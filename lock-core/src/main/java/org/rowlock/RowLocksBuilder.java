package org.rowlock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.TableName;

/**
 * Collects the configuration of {@link RowLocks}. A number below 1, or a malformed name of a table, causes an {@link
 * IllegalArgumentException}. Not thread-safe.
 */
public final class RowLocksBuilder {
    private LockStrategy strategy = LockStrategy.ROW;
    private final Map<String, LockStrategy> strategies = new HashMap<>();
    private final Map<String, List<String>> idColumns = new HashMap<>();
    private int budget = 1_000;
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
        strategies.put(
                TableName.normalize(table),
                Arguments.notNull(strategy, "The strategy given to RowLocks.builder(..) is null"));
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
        List<String> names = new ArrayList<>();
        for (String column : Arguments.notNull(columns, "The columns given to RowLocks.builder(..) are null")) {
            names.add(Arguments.text(column, "An id column of " + table, "the name as the catalog has it"));
        }
        if (names.isEmpty()) {
            throw new IllegalArgumentException("No id column of " + table + " is given; give at least one, or omit"
                    + " this setting to use the primary key");
        }
        idColumns.put(TableName.normalize(table), List.copyOf(names));
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
        this.budget = positive(keys, "lockBudget");
        return this;
    }

    /**
     * Sets how many exclusive requests for one key are admitted to the server at the same time. Further requests wait
     * in a queue of this JVM.
     *
     * <p>Calls of {@link LockOperation} wait in the admission queue of the key, before they borrow a connection. The
     * admitted requests are the lock holder and the next requests, which wait at the server. Each admitted request uses
     * a connection. If the number is 1, the key is free for at least a round trip whenever its holder changes.
     *
     * <p>A call of {@link TransactionLocks} already has its connection. The call waits in another queue, the {@code
     * ROW} queue, only if its transaction has neither locked nor written a row. In addition, the lock must be for one
     * row with {@link LockStrategy#ROW} in an exclusive mode. In the {@code ROW} queue, the number limits how many
     * transactions wait for the row at the server. More transactions may wait at the server if no thread of this JVM
     * acquires the row within a second.
     *
     * <p>By default the number adapts to the load. In the admission queue the number starts at 2. Calls of {@link
     * LockOperation#execute}, for example, may hold the key so briefly that the key is free before the next transaction
     * reaches the server. For such a key, the number grows to at most 8. To measure how long a transaction takes
     * without waiting, the admission queue sometimes admits only one request at a time. In the {@code ROW} queue the
     * number is at least 8, or at least 4 while transactions wait in the JVM. The number is larger if the row is held
     * only briefly. While many clients without Rowlock wait for the row, the {@code ROW} queue admits all transactions,
     * as it does until these clients are first counted. A number that is set here is fixed. A number that is larger
     * than the number of connections switches the queues off.
     *
     * @param threads the number, at least 1
     * @return this builder
     */
    public RowLocksBuilder maxAdmittedPerKey(int threads) {
        this.maxAdmittedPerKey = positive(threads, "maxAdmittedPerKey");
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
        this.maxWaitersPerKey = positive(waiters, "maxWaitersPerKey");
        return this;
    }

    /**
     * Sets how many calls of {@link LockOperation#execute} that wait for the same key may share one transaction, called
     * a group. The default is 1, which means that calls do not share transactions.
     *
     * <p><b>The writes of several threads then run on the connection of one of these threads.</b> Do not enable groups
     * if the login, the server or a setting such as {@code search_path} depends on the borrowing thread. A call whose
     * effect may depend on the connection for any other reason runs alone. If the shared transaction fails, Rowlock
     * rolls the transaction back, and each call runs alone with its own outcome. If the outcome of the shared
     * transaction is unknown, each call throws a {@link CommitOutcomeUnknownException}. See <a
     * href="https://github.com/rowlock/rowlock/blob/main/docs/hot-rows.md#groups">which calls join</a>.
     *
     * @param calls the number, at least 1, rounded down to a power of two; 32 is a good first number
     * @return this builder
     */
    public RowLocksBuilder largestGroup(int calls) {
        this.largestGroup = positive(calls, "largestGroup");
        return this;
    }

    /**
     * Declares whether all clients connect to the same machine of a database that spans several machines, such as
     * Citus. The default is false. An advisory lock on one machine excludes no session on another machine. Without the
     * declaration, {@link RowLocks#verify} therefore refuses strategy {@link LockStrategy#ADVISORY} on such a database.
     * The declaration has no effect on other databases.
     *
     * @param declared whether all clients connect to the same machine; Rowlock cannot check this
     * @return this builder
     */
    public RowLocksBuilder singleEntryNode(boolean declared) {
        this.singleEntryNode = declared;
        return this;
    }

    /**
     * Sets when a commit releases the locks of its transaction. The setting applies to {@link
     * LockOperation#inTransaction}, {@link LockOperation#execute} and {@link TransactionLocks#commit}. The default is
     * {@link LockRelease#PLAIN}.
     *
     * @param release when to release the locks
     * @return this builder
     */
    public RowLocksBuilder release(LockRelease release) {
        this.release = Arguments.notNull(release, "The release given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * Sets when Rowlock acquires a front lock. A front lock is an advisory lock that is acquired before the row lock.
     * Rowlock uses front locks for transactions whose first statement locks one row with {@link LockStrategy#ROW}. The
     * default is {@link LockFront#ADAPTIVE}.
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

    LockConfig config() {
        return new LockConfig(strategy, Map.copyOf(strategies), Map.copyOf(idColumns), budget);
    }

    private static int positive(int value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + "; give at least 1");
        }
        return value;
    }

    /**
     * When Rowlock acquires a front lock: an advisory lock that precedes the first row lock of a transaction, in the
     * same round trip. Unlike a row lock, an advisory lock is granted in the order of arrival, across all JVMs. The row
     * lock is always acquired too.
     *
     * <p>Rowlock acquires a front lock only in READ COMMITTED, and only if the transaction has run no statement yet.
     * The request must lock one row with {@link LockStrategy#ROW} in an exclusive mode, and must not have {@link
     * LockRequest#noWait}. If the wait for the front lock takes too long, Rowlock locks the row without a front lock.
     * This wait is limited to a minute, a tenth of {@code lock_timeout} or a tenth of {@code statement_timeout},
     * whichever is shortest. With {@link LockRequest#atMost} the limit is a minute, half of the bound or half of {@code
     * statement_timeout}, whichever is shortest.
     */
    public enum LockFront {
        /** Acquires the front lock if measurements and the server show that many JVMs contend. This is the default. */
        ADAPTIVE,

        /**
         * Acquires the front lock even without contention. There are two exceptions. If a wait for the front lock of
         * the row has timed out, the next transactions usually acquire no front lock for a minute. Transactions also
         * acquire no front lock while at least five clients without Rowlock wait for the row, or are not counted yet.
         * These clients do not queue for the front lock, and would acquire the row earlier. Without contention,
         * transactions are a few percent slower than with the row lock alone.
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
         * Releases the locks only when the transaction is durable, as PostgreSQL does. The locks are held while the
         * commit waits for the disk and the synchronous standby. This is the default.
         */
        PLAIN,

        /**
         * Releases the locks as soon as the commit is in the server's memory. If Rowlock has noticed no other
         * transaction that waits for these locks, the locks are held until the transaction is durable, which costs
         * less. Until the transaction is durable, other transactions can see changes that a crash or a failover can
         * undo. Therefore a later commit of Rowlock with this setting returns only when all changes that its
         * transaction may have read are durable. This rule applies even to a transaction that wrote nothing.
         *
         * <p>Use this value if most of the time for which a row is locked is a wait for the disk or a standby. Compared
         * with {@link #PLAIN}, a commit sends two more statements in its round trip. The commit also uses a second
         * transaction id and about 100 more bytes of WAL. From PostgreSQL 17 on, without a synchronous standby, a
         * commit uses 64 more bytes of WAL and no second transaction id. The commit of a transaction that has only
         * locked or read also waits for the disk and the standby.
         *
         * <p>Commits are {@link #PLAIN} if the database spans several machines or is not PostgreSQL itself. Commits are
         * also {@link #PLAIN} if the role may not execute a function that this setting needs, such as {@code
         * pg_logical_emit_message}. Rowlock then logs the reason. With {@code preferQueryMode=simple} or a negative
         * {@code prepareThreshold}, the locks are always held until the transaction is durable.
         */
        EARLY
    }
}
