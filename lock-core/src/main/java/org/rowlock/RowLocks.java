package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.commit.EarlyRelease;
import org.rowlock.internal.group.Groups;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.request.KeyEntries;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.verify.LockVerifier;

/**
 * The door to Rowlock: advisory locks as a drop-in replacement for {@code SELECT ... FOR UPDATE}.
 *
 * <p>Immutable and thread-safe. Make one per application, as it holds the admission queues, which only work if all use
 * the same.
 */
public final class RowLocks {
    private final LockCalls calls;
    private final AdmissionQueues admission;
    private final LockedTransaction transaction;
    private final LockVerifier verifier;

    RowLocks(RowLocksBuilder builder) {
        KnownTables tables = new KnownTables(builder.config(), new IdColumns());
        LockObserver observer = new LockObserver(List.copyOf(builder.listeners));
        KeyQueues queues = KeyQueues.adaptive(builder.maxAdmittedPerKey);
        this.calls = new LockCalls(
                tables,
                observer,
                queues,
                builder.release == LockRelease.EARLY ? new EarlyRelease() : null,
                builder.front);
        this.admission = new AdmissionQueues(queues, builder.maxWaitersPerKey, tables.config(), observer);
        Groups groups = new Groups(builder.largestGroup, observer, builder.names);
        this.transaction = new LockedTransaction(this, calls, admission, groups);
        this.verifier = new LockVerifier(tables, builder.singleEntryNode);
    }

    /** {@return row locks with {@link LockStrategy#ROW}, id columns from the catalog, 1,000 keys a call} */
    public static RowLocks create() {
        return builder().build();
    }

    /** {@return a builder with the defaults of {@link #create()}} */
    public static RowLocksBuilder builder() {
        return new RowLocksBuilder();
    }

    /**
     * The locks of the caller's transaction. Cheap; runs no SQL. The connection is only looked at when a lock is taken.
     *
     * @param connection a connection of the PostgreSQL JDBC driver, or one that unwraps to it, with a transaction
     * @return its locks
     */
    public TransactionLocks in(Connection connection) {
        Given.notNull(connection, "The connection is null");
        KeyEntries.begin();
        return new TransactionLocks(connection, calls);
    }

    /**
     * Runs work in a transaction of its own that holds locks: enters the admission queues of the keys, borrows a
     * connection, begins, locks, works, commits, returns the connection, leaves the queues. Threads waiting for a hot
     * key therefore hold no connection. The {@linkplain Locked#atCommit() writes} that the work adds go with the
     * COMMIT, in one flush.
     *
     * <p>The work is done also if a row does not exist; see {@link LockRequest#requireRow}. Any exception rolls back
     * and reaches the caller unwrapped. A call within the work of another passes the queues by, as waiting there could
     * deadlock. It uses a second connection, which costs a pool of few connections dearly: better lock all keys in the
     * outer call.
     *
     * @param dataSource where to borrow the connection; the same object every time, as each has queues of its own
     * @param request what to lock, and how strongly. Its wait, by default forever, spans the queues and the server
     *     together; the pool's own wait for a connection is not bounded by it
     * @param work what to do under the locks; must not commit
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returns; work without a result returns null
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException if the connection cannot be had, or a write, the commit or the INSERT of {@link
     *     LockRequest#orInsert} fails. Nothing is stored
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected. Nothing is stored
     * @throws CommitOutcomeUnknownException if it is not known whether the transaction has committed for good
     * @throws RowlockException if the locks cannot be had, or the work went on in an aborted transaction. Nothing is
     *     stored
     * @throws IllegalArgumentException if a write cannot go with a commit; see {@link TransactionLocks#commit}
     * @throws IllegalStateException if this thread holds one of the keys already in an outer call and would wait for
     *     itself
     */
    public <T extends @Nullable Object, X extends Exception> T inTransaction(
            DataSource dataSource, LockRequest request, Locked.Work<Void, T, X> work) throws X, SQLException {
        return transaction.run(dataSource, request, null, work);
    }

    /**
     * Runs work on what a query returns that comes with the locks, in one round trip, as {@code SELECT ... FOR UPDATE}
     * does. Otherwise as {@link #inTransaction(DataSource, LockRequest, Locked.Work)}.
     *
     * @param dataSource as there
     * @param request what to lock, and how strongly; its wait does not bound the query
     * @param query runs behind the locks
     * @param work as there
     * @param <R> the value of a row
     * @param <T> the result
     * @param <X> what the work throws
     * @return what the work returns
     * @throws X what the work throws. Nothing is stored
     * @throws SQLException as there, or if the query fails. Nothing is stored
     */
    public <R, T extends @Nullable Object, X extends Exception> T inTransaction(
            DataSource dataSource, LockRequest request, LockedQuery<R> query, Locked.Work<R, T, X> work)
            throws X, SQLException {
        return transaction.run(dataSource, request, Given.notNull(query, "The query is null"), work);
    }

    /**
     * Claims rows as {@link TransactionLocks#claim} does and runs work on them, in a transaction of its own. The work
     * is run also if no row was to be had. Never waits for a lock and enters no queue, and no
     * {@link LockListener.Kind#HOLD} is reported. Otherwise as
     * {@link #inTransaction(DataSource, LockRequest, Locked.Work)}.
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
     * @throws SQLException as there, or if the claim or the mapper fails. Nothing is stored
     */
    public <R, T extends @Nullable Object, X extends Exception> T inTransaction(
            DataSource dataSource, Claim claim, RowMapper<R> mapper, Locked.Work<R, T, X> work) throws X, SQLException {
        return transaction.run(dataSource, claim, mapper, work);
    }

    /**
     * Locks, writes and commits, in one flush, for work that needs to see nothing: the keys are held for no round trip
     * at all. It enters the admission queues of the keys first.
     *
     * <p>It takes a round trip more, with the same outcome, if Rowlock has to see something before anything may be
     * committed: ids of a row lock that are neither integers nor UUIDs, {@link LockRequest#requireRow}, {@link
     * LockRequest#orInsert}, {@link LockStrategy#BOTH} in REPEATABLE READ and SERIALIZABLE, and what {@link
     * CommitWrites} names.
     *
     * <p>The writes are done also if a row does not exist. If that matters, use {@link CommitWrite#expectOneRow()} or
     * {@link LockRequest#requireRow()}.
     *
     * @param dataSource as there
     * @param request as there
     * @param writes what to do under the locks
     * @throws SQLException as for {@link #inTransaction(DataSource, LockRequest, Locked.Work)}, like all others
     * @throws IllegalStateException also if the writes are committed already
     */
    public void execute(DataSource dataSource, LockRequest request, CommitWrites writes) throws SQLException {
        transaction.execute(dataSource, request, writes);
    }

    /**
     * {@return the strategy of a key's table; {@link LockStrategy#ADVISORY} for a key that is no row}
     *
     * @param key the key
     */
    public LockStrategy strategyOf(LockKey key) {
        return calls.tables().config().strategyOf(Given.notNull(key, "The key is null"));
    }

    /** {@return when commits let go of the locks} */
    public LockRelease release() {
        return calls.early() == null ? LockRelease.PLAIN : LockRelease.EARLY;
    }

    /** {@return the names of the tables that have settings of their own, in their one spelling} */
    public Set<String> configuredTables() {
        return calls.tables().config().tables();
    }

    /**
     * {@return the id columns that are configured for a table; empty where the primary key is used}
     *
     * @param table the table, named as in the keys
     */
    public List<String> configuredIdColumns(String table) {
        return calls.tables().config().idColumnsOf(TableName.normalize(table));
    }

    /**
     * Looks in the catalog for what every lock of a table's rows would be refused for, so that a startup can refuse it.
     * Locks nothing.
     *
     * @param connection any connection to the database; not closed
     * @param table the table, named as in the keys
     * @return the id columns, configured or those of the primary key; none if strategy ADVISORY does without
     * @throws LockTargetException if the strategy needs id columns and there are none, or if it needs keys and the text
     *     of an id may depend on settings of the session, see
     *     <a href="https://github.com/rowlock/rowlock/blob/main/docs/keys.md#ids">types of ids</a>
     * @throws SQLException if the catalog cannot be read, or the table does not exist
     */
    public List<String> checkTable(Connection connection, String table) throws SQLException {
        Given.notNull(connection, "The connection is null");
        return calls.tables().check(PgSession.of(connection), TableName.normalize(table));
    }

    /** {@return the admission queues, for code that begins transactions by other means than {@link #inTransaction}} */
    public AdmissionQueues admission() {
        return admission;
    }

    /**
     * Proves on the server that locks exclude through this DataSource, on the way that real calls take. Run it at
     * startup. It finds servers and poolers that accept advisory locks without locking or keep them beyond their
     * transaction; connections that lead to several servers; poolers that send reads elsewhere than the lock, mix up
     * prepared statements or allow no transactions; and, if strategy {@link LockStrategy#ADVISORY} is used, databases
     * of several machines (known by their extension), see {@link RowLocksBuilder#singleEntryNode}.
     *
     * <p>It borrows as many connections at a time as the DataSource has to spare, at least two and at most sixteen, and
     * compares each with the others. A connection that does not come within a second is not waited for if there are
     * two. Intermittent faults may be missed. It locks random keys, writes nothing and leaves nothing behind. A server
     * that does not answer for ten seconds is not waited for.
     *
     * @param dataSource what the application uses
     * @throws LockVerificationException if locks do not exclude, or if that could not be tried
     * @throws LockTransactionException if the connections are read-only or lead to a hot standby
     */
    public void verify(DataSource dataSource) {
        verifier.verify(dataSource);
    }

    /**
     * The same on more connections at a time, as many as a pool has to spare: each look then sees others. It waits for
     * them as long as the pool does, and goes on with those it has got, if these are two.
     *
     * @param dataSource what the application uses
     * @param connections how many to borrow at a time, at least 2; more than sixteen are sixteen
     * @throws LockVerificationException as for {@link #verify(DataSource)}
     */
    public void verify(DataSource dataSource, int connections) {
        if (connections < 2) {
            throw new IllegalArgumentException(
                    "connections is " + connections + "; give at least 2, as one holds a lock that the other tries");
        }
        verifier.verify(dataSource, connections);
    }
}
