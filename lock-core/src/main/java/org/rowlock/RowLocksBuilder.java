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
     * {@return this, with the strategy of tables for which none is set} Default {@link LockStrategy#ROW}.
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
     * {@return this, with the id columns of a table, if they are not its primary key} Only row locks need them.
     * Together they must be unique and not null.
     *
     * @param table the table, named as in the keys
     * @param columns at least one, as the catalog has them (no quotes), in the order of the id's parts
     */
    public RowLocksBuilder idColumns(String table, String... columns) {
        List<String> names = new ArrayList<>();
        for (String column : Arguments.notNull(columns, "The columns given to RowLocks.builder(..) are null")) {
            names.add(Arguments.text(column, "An id column of " + table, "the name as the catalog has it"));
        }
        if (names.isEmpty()) {
            throw new IllegalArgumentException("No id column of " + table + " is given; give at least one, or none"
                    + " of this setting to use the primary key");
        }
        idColumns.put(TableName.normalize(table), List.copyOf(names));
        return this;
    }

    /**
     * {@return this, with the largest number of distinct advisory locks in one call} Default 1,000. All sessions of the
     * server share its lock table, so raise {@code max_locks_per_transaction} first.
     *
     * @param keys the number, at least 1
     */
    public RowLocksBuilder lockBudget(int keys) {
        this.budget = positive(keys, "lockBudget");
        return this;
    }

    /**
     * {@return this, with how many exclusive requests the queue of a key admits at once}
     *
     * <p>In the admission queue these are the lock holder and the next ones, which wait at the server. Each uses a
     * connection. With 1, the key is free for at least a round trip whenever its holder changes.
     *
     * <p>A transaction that already has its connection queues only for its first lock, if it is for one row with {@link
     * LockStrategy#ROW}. In that queue the number is how many transactions wait for the row at the server. More may
     * wait if no thread of this JVM acquires the row within a second.
     *
     * <p>By default the queue adapts. Admission starts at 2. It grows to 8 for keys that are held for less time than
     * the next transaction takes to arrive, as with {@link LockOperation#execute}. The {@code ROW} queue admits up to 8
     * to the server; once others wait in the JVM, it admits 4 or more. A number that is set here is fixed. A number
     * above the number of connections switches the queues off.
     *
     * @param threads at least 1
     */
    public RowLocksBuilder maxAdmittedPerKey(int threads) {
        this.maxAdmittedPerKey = positive(threads, "maxAdmittedPerKey");
        return this;
    }

    /**
     * {@return this, with the largest number of threads that may wait in the admission queue of one key} Default
     * 10,000. If there are already so many, a call gets a {@link LockNotAvailableException}.
     *
     * @param waiters the number, at least 1
     */
    public RowLocksBuilder maxWaitersPerKey(int waiters) {
        this.maxWaitersPerKey = positive(waiters, "maxWaitersPerKey");
        return this;
    }

    /**
     * {@return this, with the largest number of calls of {@link LockOperation#execute} that wait for one key and share
     * a transaction} Default 1, which means no groups.
     *
     * <p><b>The writes of several threads then run on the connection of one of them.</b> Do not enable groups if the
     * DataSource chooses the login or the server by thread. A call whose effect may depend on the connection for
     * another reason runs alone. If a group fails, it is rolled back, and each call runs alone with its own outcome. If
     * the outcome of a group is unknown, each call throws a {@link CommitOutcomeUnknownException}. See <a
     * href="https://github.com/rowlock/rowlock/blob/main/docs/hot-rows.md#groups">which calls join</a>.
     *
     * @param calls at least 1; 32 is a good first number
     */
    public RowLocksBuilder largestGroup(int calls) {
        this.largestGroup = positive(calls, "largestGroup");
        return this;
    }

    /**
     * {@return this, with whether all clients of a database of several machines (such as Citus) connect to the same
     * machine} Default false. An advisory lock of one machine excludes no session on another. Without this declaration
     * {@link RowLocks#verify} therefore refuses strategy {@link LockStrategy#ADVISORY} there. It has no effect on other
     * databases.
     *
     * @param declared whether it is so; Rowlock cannot check it
     */
    public RowLocksBuilder singleEntryNode(boolean declared) {
        this.singleEntryNode = declared;
        return this;
    }

    /**
     * {@return this, with when commits release the locks: the commits of {@link LockOperation#inTransaction}, {@link
     * LockOperation#execute} and {@link TransactionLocks#commit}} Default {@link LockRelease#PLAIN}.
     *
     * @param release when to release them
     */
    public RowLocksBuilder release(LockRelease release) {
        this.release = Arguments.notNull(release, "The release given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * {@return this, with when Rowlock acquires an advisory lock of the row before the first lock of a transaction, if
     * that is for one row with {@link LockStrategy#ROW}} Default {@link LockFront#ADAPTIVE}.
     *
     * @param front when to acquire that lock
     */
    public RowLocksBuilder front(LockFront front) {
        this.front = Arguments.notNull(front, "The front given to RowLocks.builder(..) is null");
        return this;
    }

    /**
     * {@return this, with whether messages of exceptions name the ids of rows, names and numbers} Default true. With
     * false a message contains {@code account[?]}, and the SQLSTATE instead of the server's text, which may quote an
     * id. The cause, which is the driver's exception, still contains that text.
     *
     * @param shown whether to name them
     */
    public RowLocksBuilder idsInMessages(boolean shown) {
        this.names = shown ? KeyNames.WITH_IDS : KeyNames.WITHOUT_IDS;
        return this;
    }

    /**
     * {@return this, with one more listener, which is notified of every attempt to lock} Default none.
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
     * <p>It applies to one row with {@link LockStrategy#ROW}, in an exclusive mode, with a wait, and in READ COMMITTED.
     * Any other lock has no front lock. If the wait for the front lock takes too long, the row is locked without it.
     * The limit is the shortest of a minute, a tenth of {@code lock_timeout} or {@code statement_timeout}, and half of
     * {@link LockWait#atMost}.
     */
    public enum LockFront {
        /** Acquires it when enough JVMs contend for the row, as Rowlock measures. The default. */
        ADAPTIVE,

        /**
         * Always acquires it. This costs a few percent without contention. Transactions without Rowlock overtake its
         * queue.
         */
        ALWAYS,

        /** Never acquires it. */
        NEVER
    }

    /**
     * When a commit releases the locks of its transaction. In both cases it returns once the transaction is durable.
     */
    public enum LockRelease {
        /**
         * Releases them once the transaction is durable, as PostgreSQL does. They are held while the commit waits for
         * the disk and the synchronous standby. The default.
         */
        PLAIN,

        /**
         * Releases them as soon as the commit is in the server's memory, if other transactions wait for the lock. The
         * commit returns once the transaction is durable according to {@code synchronous_commit}, so no acknowledged
         * commit can be lost. Until then, other transactions see changes that a crash or a failover can undo. So a
         * later commit of Rowlock with this setting returns only once everything that its transaction may have read is
         * durable. This applies even to a transaction that wrote nothing.
         *
         * <p>Use it for rows whose locks are held longer for the disk or a standby than for the work. A commit has two
         * more statements in its round trip, and takes a second transaction id and about 100 bytes of WAL. From
         * PostgreSQL 17 on, without a synchronous standby, it takes no second id and 64 bytes. A transaction that has
         * only locked or read waits for the disk and the standby too.
         *
         * <p>Commits are {@link #PLAIN}, which is logged once, in a database of several machines, or if the role may
         * not execute {@code pg_logical_emit_message}. With {@code preferQueryMode=simple} or a negative {@code
         * prepareThreshold} commits wait for what they may have read, but hold their locks meanwhile.
         */
        EARLY
    }
}
