package org.rowlock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.KeyNames;
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
    KeyNames names = KeyNames.WITH_IDS;
    final List<LockListener> listeners = new ArrayList<>();

    private final Supplier<DataSource> dataSource;

    RowLocksBuilder(Supplier<DataSource> dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * {@return this, with the strategy of tables for which none is set} The default is {@link LockStrategy#ROW}.
     *
     * @param strategy the strategy
     */
    public RowLocksBuilder strategy(LockStrategy strategy) {
        this.strategy = Arguments.notNull(strategy, "The strategy given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * {@return this, with the strategy of a table}
     *
     * @param table the table, named as in the keys: {@code orders} and {@code public.orders} are two names
     * @param strategy the strategy
     */
    public RowLocksBuilder strategy(String table, LockStrategy strategy) {
        strategies.put(
                TableName.normalize(table),
                Arguments.notNull(strategy, "The strategy given to RowLocks.builder(..) is null"));
        return this;
    }

    /**
     * {@return this, with the id columns of a table, if they are not its primary key} Only row locks need id columns.
     * Together the columns must be unique and not null.
     *
     * @param table the table, named as in the keys
     * @param columns at least one name, as in the catalog (without quotes), in the order of the parts of the id
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
     * {@return this, with the largest number of distinct advisory locks in one call} The default is 1,000. All sessions
     * of the server share its lock table, so raise {@code max_locks_per_transaction} before you raise this number.
     *
     * @param keys the number, at least 1
     */
    public RowLocksBuilder lockBudget(int keys) {
        this.budget = positive(keys, "lockBudget");
        return this;
    }

    /**
     * {@return this, with the number of exclusive requests that the queue of a key admits at once}
     *
     * <p>In the admission queue, the admitted requests are the lock holder and the next ones, which wait at the server.
     * Each uses a connection. If the number is 1, the key is free for at least a round trip whenever its holder
     * changes.
     *
     * <p>A transaction that already has its connection queues only for its first lock, and only if that lock is for one
     * row with {@link LockStrategy#ROW}. For this queue, the number limits how many transactions wait for the row at
     * the server. More may wait there if no thread of this JVM acquires the row within a second.
     *
     * <p>By default the queue adapts. Admission starts at 2. It grows to 8 for keys that are held for less time than
     * the next transaction takes to arrive, as with {@link LockOperation#execute}. The {@code ROW} queue admits up to 8
     * transactions to the server; once others wait in the JVM, it admits 4 or more. A number that is set here is fixed.
     * A number that is larger than the number of connections switches the queues off.
     *
     * @param threads at least 1
     */
    public RowLocksBuilder maxAdmittedPerKey(int threads) {
        this.maxAdmittedPerKey = positive(threads, "maxAdmittedPerKey");
        return this;
    }

    /**
     * {@return this, with the largest number of threads that may wait in the admission queue of one key} The default is
     * 10,000. If that many threads are already waiting, a call gets a {@link LockNotAvailableException}.
     *
     * @param waiters the number, at least 1
     */
    public RowLocksBuilder maxWaitersPerKey(int waiters) {
        this.maxWaitersPerKey = positive(waiters, "maxWaitersPerKey");
        return this;
    }

    /**
     * {@return this, with the largest number of calls of {@link LockOperation#execute} that wait for one key and share
     * a transaction} The default is 1, which means that calls do not share transactions.
     *
     * <p><b>The writes of several threads then run on the connection of one of them.</b> Do not enable groups if the
     * DataSource chooses the login or the server by thread. A call whose effect may depend on the connection for
     * another reason runs alone. If the shared transaction of a group fails, it is rolled back, and each call runs
     * alone with its own outcome. If its outcome is unknown, each call throws a {@link CommitOutcomeUnknownException}.
     * See <a href="https://github.com/rowlock/rowlock/blob/main/docs/hot-rows.md#groups">which calls join</a>.
     *
     * @param calls at least 1; 32 is a good first number
     */
    public RowLocksBuilder largestGroup(int calls) {
        this.largestGroup = positive(calls, "largestGroup");
        return this;
    }

    /**
     * {@return this, with the declaration whether all clients of a database of several machines (such as Citus) connect
     * to the same machine} The default is false. An advisory lock on one machine excludes no session on another.
     * Without the declaration, {@link RowLocks#verify} therefore refuses strategy {@link LockStrategy#ADVISORY} on such
     * a database. The declaration has no effect on other databases.
     *
     * @param declared whether all clients connect to the same machine; Rowlock cannot check this
     */
    public RowLocksBuilder singleEntryNode(boolean declared) {
        this.singleEntryNode = declared;
        return this;
    }

    /**
     * {@return this, with the time at which the commits of {@link LockOperation#inTransaction}, {@link
     * LockOperation#execute} and {@link TransactionLocks#commit} release the locks} The default is {@link
     * LockRelease#PLAIN}.
     *
     * @param release when to release them
     */
    public RowLocksBuilder release(LockRelease release) {
        this.release = Arguments.notNull(release, "The release given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * {@return this, with the choice when Rowlock acquires a front lock} A front lock is an advisory lock before the
     * row lock, for transactions whose first lock is for one row with {@link LockStrategy#ROW}. The default is {@link
     * LockFront#ADAPTIVE}.
     *
     * @param front when to acquire that lock
     */
    public RowLocksBuilder front(LockFront front) {
        this.front = Arguments.notNull(front, "The front given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * {@return this, with the choice whether messages of exceptions show ids of rows, names and numbers} The default is
     * true. If false, a message contains {@code account[?]}, and the SQLSTATE instead of the server's text, which may
     * quote an id. The cause, which is the driver's exception, still contains the server's text.
     *
     * @param shown whether to show them
     */
    public RowLocksBuilder idsInMessages(boolean shown) {
        this.names = shown ? KeyNames.WITH_IDS : KeyNames.WITHOUT_IDS;
        return this;
    }

    /**
     * {@return this, with one more listener, which is notified of every attempt to lock} By default there is none.
     *
     * @param listener the listener; thread-safe
     */
    public RowLocksBuilder listener(LockListener listener) {
        listeners.add(Arguments.notNull(listener, "The listener given to RowLocks.builder(..) is null"));
        return this;
    }

    /** {@return new row locks} */
    public RowLocks build() {
        return RowLocks.of(this, dataSource);
    }

    LockConfig config() {
        return new LockConfig(strategy, Map.copyOf(strategies), Map.copyOf(idColumns), budget, names);
    }

    private static int positive(int value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + "; give at least 1");
        }
        return value;
    }

    /**
     * When Rowlock acquires an advisory lock for a row before the first row lock of a transaction, in the same round
     * trip. Unlike a row lock, an advisory lock is granted in the order of arrival, for all JVMs together. The row is
     * always locked too.
     *
     * <p>Only requests for one row with {@link LockStrategy#ROW}, in an exclusive mode, with a wait, and in READ
     * COMMITTED have a front lock. If the wait for the front lock takes too long, the row is locked without it. The
     * limit of that wait is the shortest of a minute, a tenth of {@code lock_timeout} or {@code statement_timeout}, and
     * half of {@link LockWait#atMost}.
     */
    public enum LockFront {
        /** Acquires the front lock when Rowlock measures that enough JVMs contend for the row. This is the default. */
        ADAPTIVE,

        /**
         * Always acquires the front lock. Compared with the row lock alone, this costs a few percent without
         * contention. Transactions without Rowlock overtake the queue for the front lock.
         */
        ALWAYS,

        /** Never acquires the front lock. */
        NEVER
    }

    /**
     * When a commit releases the locks of its transaction. In both cases the commit returns once the transaction is
     * durable.
     */
    public enum LockRelease {
        /**
         * Releases the locks once the transaction is durable, as PostgreSQL does. The locks are held while the commit
         * waits for the disk and the synchronous standby. This is the default.
         */
        PLAIN,

        /**
         * Releases the locks as soon as the commit is in the server's memory, if other transactions wait for them. The
         * commit returns once the transaction is durable according to {@code synchronous_commit}, so no acknowledged
         * commit can be lost. Until then, other transactions see changes that a crash or a failover can undo. Therefore
         * a later commit of Rowlock with this setting returns only once everything that its transaction may have read
         * is durable. This applies even to a transaction that wrote nothing.
         *
         * <p>Use this for rows whose locks are held longer for the disk or a standby than for the work. Compared with
         * {@link #PLAIN}, a commit sends two more statements in its round trip, and uses a second transaction id and
         * about 100 bytes of WAL. From PostgreSQL 17 on, without a synchronous standby, it uses 64 bytes and no second
         * transaction id. A transaction that has only locked or read waits for the disk and the standby too.
         *
         * <p>In a database of several machines, and if the role may not execute {@code pg_logical_emit_message},
         * commits are {@link #PLAIN}, and Rowlock logs this once. With {@code preferQueryMode=simple} or a negative
         * {@code prepareThreshold}, commits hold their locks while they wait until everything that they may have read
         * is durable.
         */
        EARLY
    }
}
