package org.rowlock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.KeyNames;
import org.rowlock.internal.text.TableName;

/**
 * Collects the configuration of {@link RowLocks}. A number below 1, and a table that is no well-formed SQL name, is an
 * {@link IllegalArgumentException}. Not thread-safe.
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
     * {@return this, with the strategy of tables that have none of their own} Default {@link LockStrategy#ROW}.
     *
     * @param strategy the strategy
     */
    public RowLocksBuilder strategy(LockStrategy strategy) {
        this.strategy = Given.notNull(strategy, "The strategy given to RowLocks.builder() is null");
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
                Given.notNull(strategy, "The strategy given to RowLocks.builder() is null"));
        return this;
    }

    /**
     * {@return this, with the id columns of a table that are not its primary key} Only row locks need them. Together
     * they must be unique and not null.
     *
     * @param table the table, named as in the keys
     * @param columns at least one, as the catalog has them (no quotes), in the order of the id's parts
     */
    public RowLocksBuilder idColumns(String table, String... columns) {
        List<String> names = new ArrayList<>();
        for (String column : Given.notNull(columns, "The columns given to RowLocks.builder() is null")) {
            names.add(Given.text(column, "An id column of " + table, "the name as the catalog has it"));
        }
        if (names.isEmpty()) {
            throw new IllegalArgumentException("No id column of " + table + " is given; give at least one, or none"
                    + " of this setting to use the primary key");
        }
        idColumns.put(TableName.normalize(table), List.copyOf(names));
        return this;
    }

    /**
     * {@return this, with the most distinct advisory locks that one call may take} Default 1,000. The lock table is
     * shared by every session of the server: raise {@code max_locks_per_transaction} before this.
     *
     * @param keys the number, at least 1
     */
    public RowLocksBuilder lockBudget(int keys) {
        this.budget = positive(keys, "lockBudget");
        return this;
    }

    /**
     * {@return this, with how many threads the queue of a key lets in at once that want it exclusively} In the
     * admission queue these are the lock holder and the next ones, which wait at the
     * server; each takes a connection. With 1 the key is free for a round trip and more whenever it changes hands. A
     * transaction that has its connection already queues for its first lock, of one row by {@link LockStrategy#ROW}:
     * there it is how many wait at the server for the row, and more if nobody of this JVM gets it for a second.
     *
     * <p>Default: the queue learns it. Of an admission queue 2 to begin with, and up to 8 of a key that is held for
     * less than the next takes to come, such as by {@link LockOperation#execute}; with a connection 8 until a queue
     * begins, and then 4 or more. A number given here is the number always; above that of the connections nobody
     * queues.
     *
     * @param threads at least 1
     */
    public RowLocksBuilder maxAdmittedPerKey(int threads) {
        this.maxAdmittedPerKey = positive(threads, "maxAdmittedPerKey");
        return this;
    }

    /**
     * {@return this, with the most threads that may stand in the admission queue of one key} Default 10,000. For one
     * more the lock is {@linkplain LockNotAvailableException not available}.
     *
     * @param waiters the number, at least 1
     */
    public RowLocksBuilder maxWaitersPerKey(int waiters) {
        this.maxWaitersPerKey = positive(waiters, "maxWaitersPerKey");
        return this;
    }

    /**
     * {@return this, with the largest number of waiting calls of {@link LockOperation#execute} for one key that share a
     * transaction}
     * Default 1, which is off.
     *
     * <p><b>The writes of several threads then run on the connection of one of them.</b> Leave it off where the
     * DataSource picks another login or server by thread. A call whose statement, table or session may make that differ
     * otherwise runs alone. If a group fails it is undone, and each call is done alone with its own
     * outcome; if nobody knows whether it has committed, each has a {@link CommitOutcomeUnknownException}.
     * {@code docs/hot-rows.md} says which calls join.
     *
     * @param calls at least 1; 32 is a good first number
     */
    public RowLocksBuilder largestGroup(int calls) {
        this.largestGroup = positive(calls, "largestGroup");
        return this;
    }

    /**
     * {@return this, saying whether all clients, of all instances, enter a database of several machines (Citus and the
     * like) by one and the same machine} Default false. Advisory locks of one machine exclude nobody on another, so
     * without it {@link RowLocks#verify} refuses strategy {@link LockStrategy#ADVISORY} there. On other databases it
     * does nothing.
     *
     * @param declared whether it is so; nobody checks it
     */
    public RowLocksBuilder singleEntryNode(boolean declared) {
        this.singleEntryNode = declared;
        return this;
    }

    /**
     * {@return this, with when commits let go of the locks: those of {@link LockOperation#inTransaction}, {@link
     * LockOperation#execute} and {@link TransactionLocks#commit}} Default {@link LockRelease#PLAIN}.
     *
     * @param release when
     */
    public RowLocksBuilder release(LockRelease release) {
        this.release = Given.notNull(release, "The release given to RowLocks.builder() is null");
        return this;
    }

    /**
     * {@return this, with whether the first lock of a transaction, of one row by {@link LockStrategy#ROW}, has an
     * advisory lock of the row in front of it} Default {@link LockFront#ADAPTIVE}.
     *
     * @param front whether
     */
    public RowLocksBuilder front(LockFront front) {
        this.front = Given.notNull(front, "The front given to RowLocks.builder() is null");
        return this;
    }

    /**
     * {@return this, with whether messages of exceptions name the ids of rows, names and numbers} Default true. Without
     * them they say {@code account[?]}, and the SQLSTATE in place of what the server says, which may quote an id. What
     * the server says is still in the cause: the driver's own.
     *
     * @param shown whether to name them
     */
    public RowLocksBuilder idsInMessages(boolean shown) {
        this.names = shown ? KeyNames.WITH_IDS : KeyNames.WITHOUT_IDS;
        return this;
    }

    /**
     * {@return this, with one more that is notified of every attempt to lock} Default none.
     *
     * @param listener the listener; thread-safe
     */
    public RowLocksBuilder listener(LockListener listener) {
        listeners.add(Given.notNull(listener, "The listener given to RowLocks.builder() is null"));
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
}
