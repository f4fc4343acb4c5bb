package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.acquire.LockRequests;
import org.rowlock.internal.commit.Releases;
import org.rowlock.internal.group.Groups;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.verify.LockVerifier;

/**
 * The door to Rowlock: advisory locks as a drop-in replacement for {@code SELECT ... FOR UPDATE}.
 *
 * <p>Immutable and thread-safe. Make one per application, as it holds the admission queues, which only work if all use
 * the same.
 */
public final class RowLocks {
    private final LockRequests requests;
    private final LockCalls calls;
    private final AdmissionQueues admission;
    private final LockedTransaction transaction;
    private final LockVerifier verifier;
    private final LockRelease release;

    private RowLocks(Builder builder) {
        this.requests = new LockRequests(builder.config());
        LockObserver observer = new LockObserver(builder.listener);
        this.release = builder.release;
        Releases releases = new Releases(release);
        KeyQueues queues = KeyQueues.adaptive(builder.maxAdmittedPerKey);
        this.calls = new LockCalls(requests, observer, queues, releases, builder.front);
        this.admission = new AdmissionQueues(queues, builder.maxWaitersPerKey, builder.names, observer);
        Groups groups = new Groups(builder.largestGroup, observer, builder.names);
        this.transaction = new LockedTransaction(this, admission, observer, builder.names, releases, groups);
        this.verifier = new LockVerifier(requests, builder.singleEntryNode);
    }

    /**
     * The defaults: strategy {@link LockStrategy#ROW} for every table, the id columns from the catalog, a budget of
     * 1,000 keys per call.
     *
     * @return new row locks
     */
    public static RowLocks create() {
        return builder().build();
    }

    /**
     * Starts a configuration.
     *
     * @return a builder with the defaults of {@link #create()}
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The locks of the caller's transaction. Cheap; runs no SQL. The connection is only looked at when a lock is taken.
     *
     * @param connection a connection of the PostgreSQL JDBC driver, or one that unwraps to it, with a transaction
     * @return its locks
     * @throws IllegalArgumentException if the connection is null
     */
    public TransactionLocks in(Connection connection) {
        if (connection == null) {
            throw new IllegalArgumentException("The connection is null; give the one of the current transaction");
        }
        AdmissionQueues.begin();
        return new TransactionLocks(connection, calls);
    }

    /**
     * Runs work in a transaction of its own that holds locks: enters the admission queues of the keys, borrows a
     * connection, begins, locks, works, commits, returns the connection, leaves the queues. Threads waiting for a hot
     * key therefore hold no connection. The {@linkplain Locked#atCommit() writes} that the work adds go with the
     * COMMIT, in one flush.
     *
     * <p>If {@link LockStrategy#ROW} finds no row nothing is locked, as with {@code FOR UPDATE}, and the work is done
     * all the same; see {@link Locked#absentRows} and {@link LockRequest#requireRow}.
     *
     * <p>Any exception rolls back and reaches the caller unwrapped. A call within the work of another passes the queues
     * by, as waiting there could deadlock. It uses a second connection, which costs a pool of few connections dearly:
     * better lock all keys in the outer call.
     *
     * @param dataSource where to borrow the connection; the same object every time, as each has queues of its own
     * @param request what to lock, and how strongly. Its wait, by default forever, spans the queues and the server
     *     together; the pool's own wait for a connection is not bounded by it
     * @param work what to do under the locks; must not commit
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returns
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException if the connection cannot be had, or a write or the commit fails. Nothing is stored
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected. Nothing is stored
     * @throws CommitOutcomeUnknownException if it cannot be told whether the transaction has committed for good; do not
     *     run the work again before you have looked
     * @throws LockException if the locks cannot be had, or the work went on in a transaction that an error had aborted;
     *     see its subclasses. Nothing is stored
     * @throws IllegalArgumentException if an argument is null, or a write cannot go with a commit; see
     *     {@link TransactionLocks#commit}
     * @throws IllegalStateException if this thread holds one of the keys already in an outer call and would wait for
     *     itself
     */
    public <T extends @Nullable Object, X extends Exception> T inTransaction(
            DataSource dataSource, LockRequest request, LockedWork<Void, T, X> work) throws X, SQLException {
        return transaction.run(dataSource, request, null, work);
    }

    /**
     * Runs work on what a query returns that comes with the locks, in one round trip, as {@code SELECT ... FOR UPDATE}
     * does. Otherwise as {@link #inTransaction(DataSource, LockRequest, LockedWork)}.
     *
     * @param dataSource where to borrow the connection; the same object every time, as each has queues of its own
     * @param request what to lock, and how strongly; its wait does not bound the query
     * @param query runs behind the locks
     * @param work what to do under the locks; must not commit
     * @param <R> the value of a row
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returns
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException if the connection cannot be had, or the query, a write or the commit fails. Nothing is
     *     stored
     * @throws LockException as there
     * @throws IllegalArgumentException as there
     * @throws IllegalStateException as there
     */
    public <R, T extends @Nullable Object, X extends Exception> T inTransaction(
            DataSource dataSource, LockRequest request, LockedQuery<R> query, LockedWork<R, T, X> work)
            throws X, SQLException {
        return transaction.run(dataSource, request, given(query, "query"), work);
    }

    /**
     * Claims rows as {@link TransactionLocks#claim} does and runs work on them, in a transaction of its own. The work
     * is run also if no row was to be had. Never waits for a lock and enters no queue, and {@link LockListener#onHold}
     * is not called. Otherwise as {@link #inTransaction(DataSource, LockRequest, LockedWork)}.
     *
     * @param dataSource where to borrow the connection
     * @param claim the table, the predicate, the order and the limit
     * @param mapper makes a value of each row, all columns of the table
     * @param work what to do with the claimed rows, in the claim's order; must not commit
     * @param <R> the value of a row
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returns
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException if the connection cannot be had, or the claim, the mapper, a write or the commit fails.
     *     Nothing is stored
     * @throws LockException as there
     * @throws IllegalArgumentException as there
     */
    public <R, T extends @Nullable Object, X extends Exception> T inTransaction(
            DataSource dataSource, Claim claim, RowMapper<R> mapper, LockedWork<R, T, X> work) throws X, SQLException {
        return transaction.run(dataSource, claim, mapper, work);
    }

    /**
     * {@link #inTransaction(DataSource, LockRequest, LockedWork)} for work without a result. It has a name of its own
     * since Java cannot tell the two lambdas apart.
     *
     * @param dataSource where to borrow the connection; the same object every time, as each has queues of its own
     * @param request what to lock, and how strongly
     * @param work what to do under the locks; must not commit
     * @param <X> what the work throws
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException as there
     */
    public <X extends Exception> void runInTransaction(
            DataSource dataSource, LockRequest request, LockedAction<Void, X> work) throws X, SQLException {
        this.<@Nullable Void, X>inTransaction(dataSource, request, returningNothing(work));
    }

    /**
     * {@link #inTransaction(DataSource, LockRequest, LockedQuery, LockedWork)} for work without a result.
     *
     * @param dataSource where to borrow the connection; the same object every time, as each has queues of its own
     * @param request what to lock, and how strongly
     * @param query runs behind the locks
     * @param work what to do under the locks; must not commit
     * @param <R> the value of a row
     * @param <X> what the work throws
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException as there
     */
    public <R, X extends Exception> void runInTransaction(
            DataSource dataSource, LockRequest request, LockedQuery<R> query, LockedAction<R, X> work)
            throws X, SQLException {
        this.<R, @Nullable Void, X>inTransaction(dataSource, request, query, returningNothing(work));
    }

    /**
     * {@link #inTransaction(DataSource, Claim, RowMapper, LockedWork)} for work without a result.
     *
     * @param dataSource where to borrow the connection
     * @param claim the table, the predicate, the order and the limit
     * @param mapper makes a value of each row, all columns of the table
     * @param work what to do with the claimed rows; must not commit
     * @param <R> the value of a row
     * @param <X> what the work throws
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException as there
     */
    public <R, X extends Exception> void runInTransaction(
            DataSource dataSource, Claim claim, RowMapper<R> mapper, LockedAction<R, X> work) throws X, SQLException {
        this.<R, @Nullable Void, X>inTransaction(dataSource, claim, mapper, returningNothing(work));
    }

    private static <R, X extends Exception> LockedWork<R, @Nullable Void, X> returningNothing(LockedAction<R, X> work) {
        given(work, "work");
        return locked -> {
            work.accept(locked);
            return null;
        };
    }

    private static <T> T given(@Nullable T value, String name) {
        if (value == null) {
            throw new IllegalArgumentException("The " + name + " is null");
        }
        return value;
    }

    /**
     * Locks, writes and commits, in one flush, for work that needs to see nothing: the keys are held for no round trip
     * at all. It enters the admission queues of the keys first.
     *
     * <p>It takes a round trip more, with the same outcome, if Rowlock has to see something before anything may be
     * committed: ids of a row lock that are neither integers nor UUIDs, {@link LockRequest#requireRow}, and what
     * {@link CommitWrites} names. In REPEATABLE READ and SERIALIZABLE it takes as many as the handover of the lock.
     *
     * <p>If {@link LockStrategy#ROW} finds no row nothing is locked, as with {@code FOR UPDATE}, and the writes are
     * done all the same. If that matters, use {@link CommitWrite#expectOneRow()} or {@link LockRequest#requireRow()}.
     *
     * @param dataSource where to borrow the connection; the same object every time, as each has queues of its own
     * @param request what to lock, and how strongly; its wait, by default forever, spans the queues and the server
     *     together
     * @param writes what to do under the locks
     * @throws SQLException if the connection cannot be had, or a write or the commit fails. Nothing is stored
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected. Nothing is stored
     * @throws CommitOutcomeUnknownException if it cannot be told whether the transaction has committed for good; do not
     *     run it again before you have looked
     * @throws LockException if the locks cannot be had; see its subclasses. Nothing is stored
     * @throws IllegalArgumentException if an argument is null, or a write cannot go with a commit; see
     *     {@link TransactionLocks#commit}
     * @throws IllegalStateException if this thread holds one of the keys already in an outer call and would wait for
     *     itself, or the writes are committed already
     */
    public void execute(DataSource dataSource, LockRequest request, CommitWrites writes) throws SQLException {
        transaction.execute(dataSource, request, writes);
    }

    /**
     * The strategy that a key is locked by.
     *
     * @param key the key
     * @return that of its table; {@link LockStrategy#ADVISORY} for a key that is no row
     * @throws IllegalArgumentException if the key is null
     */
    public LockStrategy strategyOf(LockKey key) {
        if (key == null) {
            throw new IllegalArgumentException("The key is null");
        }
        return requests.strategyOf(key);
    }

    /** The strategy of a call on several keys. */
    LockStrategy strategyOf(List<LockKey> keys) {
        return requests.strategyOf(keys);
    }

    /**
     * When commits let go of the locks.
     *
     * @return as configured
     */
    public LockRelease release() {
        return release;
    }

    /**
     * The tables that have settings of their own.
     *
     * @return their names, in their one spelling
     */
    public Set<String> configuredTables() {
        return requests.configuredTables();
    }

    /**
     * The id columns that are configured for a table.
     *
     * @param table the table, named as in the keys
     * @return the columns; empty where the primary key is used
     * @throws IllegalArgumentException if the table is not a well-formed SQL name
     */
    public List<String> configuredIdColumns(String table) {
        return requests.configuredIdColumns(TableName.normalize(table));
    }

    /**
     * Looks in the catalog whether keys can be made of a table's ids, where its strategy needs keys: a startup can so
     * refuse what every lock would refuse. Locks nothing.
     *
     * @param connection any connection to the database; not closed
     * @param table the table, named as in the keys
     * @throws LockTargetException if the text of an id may depend on settings of the session, see {@code docs/keys.md}
     * @throws SQLException if the catalog cannot be read, or the table does not exist
     * @throws IllegalArgumentException if the table is not a well-formed SQL name
     */
    public void checkTable(Connection connection, String table) throws SQLException {
        if (connection == null) {
            throw new IllegalArgumentException("The connection is null; give any to the database");
        }
        requests.check(PgSession.of(connection), TableName.normalize(table));
    }

    /**
     * The admission queues, for code that begins transactions by other means than {@link #inTransaction}.
     *
     * @return the queues of these row locks
     */
    public AdmissionQueues admission() {
        return admission;
    }

    /**
     * Proves on the server that locks exclude through this DataSource, on the way that real calls take. Run it at
     * startup. It finds, each with a message that says what to do:
     *
     * <ul>
     *   <li>servers and poolers that accept advisory locks without locking, or keep them beyond their transaction
     *   <li>connections that lead to several servers, of which each locks for itself
     *   <li>poolers that send reads elsewhere than the lock, say to a standby
     *   <li>poolers that mix up prepared statements, or allow no transactions
     *   <li>databases of several machines, known by their extension (Citus, bdr, pgactive, spock, shardman), if
     *       strategy {@link LockStrategy#ADVISORY} is used; see {@link Builder#singleEntryNode}
     * </ul>
     *
     * <p>What goes wrong by chance it sees by chance: it looks at sixteen connections, two at a time in eight rounds. A
     * pool may give the same two each time; see {@link #verify(DataSource, int)}. It locks random keys of a configured
     * table if one is there, else a number, writes nothing and leaves nothing behind. If a connection is lost
     * meanwhile, it tries again: no verdict rests on a lock whose session may have ended. A server that does not answer
     * for ten seconds is not waited for.
     *
     * @param dataSource what the application uses
     * @throws LockVerificationException if locks do not exclude, or if that could not be tried; see
     *     {@link LockVerificationException#isConclusive()}
     * @throws LockTransactionException if the connections are read-only or lead to a hot standby
     */
    public void verify(DataSource dataSource) {
        verifier.verify(dataSource, 2);
    }

    /**
     * The same on more connections at a time, as many as a pool has to spare: each look then sees others. It waits for
     * them as long as the pool does, and goes on with those it has got, if these are two.
     *
     * @param dataSource what the application uses
     * @param connections how many to borrow at a time, at least 2; more than sixteen are sixteen
     * @throws LockVerificationException as for {@link #verify(DataSource)}
     * @throws LockTransactionException as there
     * @throws IllegalArgumentException if the DataSource is null, or the number is less than 2
     */
    public void verify(DataSource dataSource, int connections) {
        if (connections < 2) {
            throw new IllegalArgumentException(
                    "connections is " + connections + "; give at least 2, as one holds a lock that the other tries");
        }
        verifier.verify(dataSource, connections);
    }

    /**
     * Verifies again and again while the application runs, as a name, a pooler or a splitter may lead elsewhere by
     * then: on a daemon thread of its own, on two connections at a time, so that no lock waits for it. Does not look at
     * once: {@link #verify(DataSource)} at startup does.
     *
     * @param dataSource what the application uses
     * @param every the time from the end of one look to the next, say ten minutes
     * @param refused is told on that thread what {@link #verify(DataSource)} throws, each time; not told of a server
     *     that could not be asked
     * @return ends it when it is run; a look that is under way is interrupted
     * @throws IllegalArgumentException if an argument is null, or the time is not positive
     */
    public Runnable verifyEvery(DataSource dataSource, Duration every, Consumer<? super LockException> refused) {
        if (dataSource == null || every == null || refused == null) {
            throw new IllegalArgumentException("The DataSource, the time or who is to be told is null");
        }
        if (every.isZero() || every.isNegative()) {
            throw new IllegalArgumentException("every is " + every + "; give a positive time, such as ten minutes");
        }
        return new RepeatedVerification(() -> verify(dataSource), every, refused)::close;
    }

    /** Collects a configuration. Not thread-safe. */
    public static final class Builder {
        private static final int DEFAULT_BUDGET = 1_000;
        private static final int DEFAULT_WAITERS = 10_000;

        private LockStrategy strategy = LockStrategy.ROW;
        private final Map<String, LockStrategy> strategies = new HashMap<>();
        private final Map<String, List<String>> idColumns = new HashMap<>();
        private int budget = DEFAULT_BUDGET;
        private int maxAdmittedPerKey;
        private int maxWaitersPerKey = DEFAULT_WAITERS;
        private int largestGroup = 1;
        private boolean singleEntryNode;
        private LockRelease release = LockRelease.PLAIN;
        private LockFront front = LockFront.ADAPTIVE;
        private KeyNames names = KeyNames.WITH_IDS;
        private @Nullable LockListener listener;

        private Builder() {}

        /**
         * The strategy of tables that have none of their own. Default {@link LockStrategy#ROW}.
         *
         * @param strategy the strategy
         * @return this
         */
        public Builder strategy(LockStrategy strategy) {
            this.strategy = given(strategy, "strategy");
            return this;
        }

        /**
         * The strategy of a table.
         *
         * @param table the table, named as in the keys: {@code orders} and {@code public.orders} are two names
         * @param strategy the strategy
         * @return this
         * @throws IllegalArgumentException if the table is not a well-formed SQL name
         */
        public Builder strategy(String table, LockStrategy strategy) {
            strategies.put(TableName.normalize(table), given(strategy, "strategy"));
            return this;
        }

        /**
         * The id columns of a table, where they are not its primary key. Only row locks need them. Together they must
         * be unique and not null.
         *
         * @param table the table, named as in the keys
         * @param columns the columns as the catalog has them (no quotes), in the order of the id's parts
         * @return this
         * @throws IllegalArgumentException if the table is not a well-formed SQL name, or no column is given
         */
        public Builder idColumns(String table, String... columns) {
            List<String> names = new ArrayList<>();
            for (String column : given(columns, "columns")) {
                if (column == null || column.isBlank()) {
                    throw new IllegalArgumentException(
                            "An id column of " + table + " is null or blank; give the name as the catalog has it");
                }
                names.add(column);
            }
            if (names.isEmpty()) {
                throw new IllegalArgumentException("No id column of " + table + " is given; give at least one, or none"
                        + " of this setting to use the primary key");
            }
            idColumns.put(TableName.normalize(table), List.copyOf(names));
            return this;
        }

        /**
         * The most distinct advisory locks that one call may take. Default 1,000. The lock table is shared by every
         * session of the server: raise {@code max_locks_per_transaction} before this.
         *
         * @param keys the number, at least 1
         * @return this
         * @throws IllegalArgumentException if the number is less than 1
         */
        public Builder lockBudget(int keys) {
            this.budget = positive(keys, "lockBudget");
            return this;
        }

        /**
         * How many threads the queue of a key lets in at once that want it exclusively. In the
         * {@linkplain AdmissionQueues admission queue} these are the lock holder and the next ones, which wait at the
         * server; each takes a connection. With 1 the key is free for a round trip and more whenever it changes hands.
         * A transaction that has its connection already queues for its first lock, of one row by
         * {@link LockStrategy#ROW}: there it is how many wait at the server for the row. If nobody of this JVM gets
         * that row for a second, one more may wait at the server, after another second two more, then four, and so on.
         *
         * <p>Default: the queue learns it. Of an admission queue 2 to begin with, and up to 8 of a key that is held for
         * less than the next takes to come, such as by {@link RowLocks#execute}; with a connection 8 until a queue
         * begins, and then 4 or more. A number given here is the number always; above that of the connections nobody
         * queues.
         *
         * @param threads at least 1
         * @return this
         * @throws IllegalArgumentException if the number is less than 1
         */
        public Builder maxAdmittedPerKey(int threads) {
            this.maxAdmittedPerKey = positive(threads, "maxAdmittedPerKey");
            return this;
        }

        /**
         * The most threads that may stand in the admission queue of one key. Default 10,000. One more is an
         * {@link AdmissionRejectedException}.
         *
         * @param waiters the number, at least 1
         * @return this
         * @throws IllegalArgumentException if the number is less than 1
         */
        public Builder maxWaitersPerKey(int waiters) {
            this.maxWaitersPerKey = positive(waiters, "maxWaitersPerKey");
            return this;
        }

        /**
         * How many calls of {@link RowLocks#execute} that wait for one key may share a transaction. Default 1, which is
         * off.
         *
         * <p><b>The writes of several threads then run on the connection of one of them.</b> Leave it off where the
         * DataSource gives connections by thread, as to tenants or roles, or where a trigger or a default looks at the
         * user or a setting of the session. If a group fails it is undone, and each call is done alone with its own
         * outcome; if nobody knows whether it has committed, each has a {@link CommitOutcomeUnknownException}.
         * {@code docs/hot-rows.md} says which calls join.
         *
         * @param calls at least 1; 32 is a good first number
         * @return this
         * @throws IllegalArgumentException if the number is less than 1
         */
        public Builder largestGroup(int calls) {
            this.largestGroup = positive(calls, "largestGroup");
            return this;
        }

        /**
         * Says that all clients, of all instances, enter a database of several machines (Citus and the like) by one and
         * the same machine. Default false. Advisory locks of one machine exclude nobody on another, so without it
         * {@link RowLocks#verify} refuses strategy {@link LockStrategy#ADVISORY} there. On other databases it does
         * nothing.
         *
         * @param declared whether it is so; nobody checks it
         * @return this
         */
        public Builder singleEntryNode(boolean declared) {
            this.singleEntryNode = declared;
            return this;
        }

        /**
         * When commits let go of the locks: those of {@link RowLocks#inTransaction}, {@link RowLocks#execute} and
         * {@link TransactionLocks#commit}. Default {@link LockRelease#PLAIN}.
         *
         * @param release when
         * @return this
         */
        public Builder release(LockRelease release) {
            this.release = given(release, "release");
            return this;
        }

        /**
         * Whether the first lock of a transaction, of one row by {@link LockStrategy#ROW}, has an advisory lock of the
         * row in front of it. Default {@link LockFront#ADAPTIVE}.
         *
         * @param front whether
         * @return this
         */
        public Builder front(LockFront front) {
            this.front = given(front, "front");
            return this;
        }

        /**
         * Whether messages of exceptions name the ids of rows, names and numbers. Default true. Without them they say
         * {@code account[?]}, and the SQLSTATE in place of what the server says, which may quote an id. What the server
         * says is still in the cause: the driver's own.
         *
         * @param shown whether to name them
         * @return this
         */
        public Builder idsInMessages(boolean shown) {
            this.names = shown ? KeyNames.WITH_IDS : KeyNames.WITHOUT_IDS;
            return this;
        }

        /**
         * Is told of every attempt to lock. Default none.
         *
         * @param listener the listener; thread-safe
         * @return this
         */
        public Builder listener(LockListener listener) {
            this.listener = given(listener, "listener");
            return this;
        }

        /**
         * Ends the configuration.
         *
         * @return new row locks
         */
        public RowLocks build() {
            return new RowLocks(this);
        }

        private LockConfig config() {
            return new LockConfig(strategy, Map.copyOf(strategies), Map.copyOf(idColumns), budget, names);
        }

        private static <T> T given(T value, String name) {
            if (value == null) {
                throw new IllegalArgumentException("The " + name + " given to RowLocks.builder() is null");
            }
            return value;
        }

        private static int positive(int value, String name) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " is " + value + "; give at least 1");
            }
            return value;
        }
    }
}
