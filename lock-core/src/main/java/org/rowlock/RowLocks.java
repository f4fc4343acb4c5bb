package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.EarlyRelease;
import org.rowlock.internal.group.Groups;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.value.CheckReturnValue;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.verify.LockVerifier;

/**
 * The entry point of Rowlock, which locks rows with PostgreSQL's row locks, with advisory locks, or with both.
 *
 * <pre>{@code
 * RowLocks locks = RowLocks.of(dataSource);
 * boolean paid = locks.lock(forUpdate(row("account", id)))
 *         .read("select balance from account where id = ?", Long.class, id)
 *         .inTransaction(tx -> {
 *             if (tx.row() < amount) {
 *                 return false;
 *             }
 *             tx.atCommit("update account set balance = balance - ? where id = ?", amount, id);
 *             return true;
 *         });
 * }</pre>
 *
 * <p>Immutable and thread-safe. Create one object for each DataSource and share it. Each object has its own admission
 * queues, in which threads of this JVM wait for a key. Threads that use different objects wait for each other only at
 * the server.
 */
public final class RowLocks {
    static {
        LockAccess.Opener.open(new LockAccess.Opener(locks -> locks.new Inside(), RowLocksBuilder::new));
    }

    private final TransactionRunner runner;
    private final boolean singleEntryNode;
    private final Supplier<DataSource> dataSource;

    private RowLocks(TransactionRunner runner, boolean singleEntryNode, Supplier<DataSource> dataSource) {
        this.runner = runner;
        this.singleEntryNode = singleEntryNode;
        this.dataSource = dataSource;
    }

    static RowLocks of(RowLocksBuilder builder, Supplier<DataSource> dataSource) {
        KnownTables tables = new KnownTables(
                builder.strategy,
                Map.copyOf(builder.strategies),
                Map.copyOf(builder.idColumns),
                builder.budget,
                new IdColumns());
        LockObserver observer = new LockObserver(List.copyOf(builder.listeners));
        KeyQueues queues = KeyQueues.adaptive(builder.maxAdmittedPerKey);
        LockCalls calls = new LockCalls(
                tables,
                observer,
                queues,
                builder.maxWaitersPerKey,
                builder.release == LockRelease.EARLY ? new EarlyRelease() : null,
                builder.front);
        Groups groups = new Groups(builder.largestGroup, observer, tables);
        return new RowLocks(new TransactionRunner(calls, groups), builder.singleEntryNode, dataSource);
    }

    /**
     * {@return an object with the defaults of {@link RowLocksBuilder}, for example strategy {@link LockStrategy#ROW}}
     *
     * @param dataSource the pool from which calls borrow connections
     */
    public static RowLocks of(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * {@return a builder that can change the default configuration}
     *
     * @param dataSource the pool from which calls borrow connections
     */
    public static RowLocksBuilder builder(DataSource dataSource) {
        Arguments.notNull(dataSource, "The DataSource is null");
        return new RowLocksBuilder(() -> dataSource);
    }

    /**
     * Returns an operation that locks the keys of the request in a separate transaction. This method runs no SQL.
     *
     * @param request what to lock, how strongly, and how long to wait
     * @return the operation
     */
    @CheckReturnValue
    public LockOperation lock(LockRequest request) {
        return new LockOperation(runner, dataSource.get(), RequestParts.of(request));
    }

    /**
     * Returns an operation that claims rows, as {@link TransactionLocks#claim} does, in a separate transaction. This
     * method runs no SQL. The operation waits for no row lock and no advisory lock, enters no admission queue and
     * reports no {@link LockListener.Kind#HOLD} event. The work of the operation runs even if no row was claimed.
     *
     * @param claim the table, the predicate, the order and the limit
     * @param mapper creates a value from each row, which has all columns of the table
     * @param <R> the value of a row
     * @return the operation, whose rows are in the order of the claim
     */
    @CheckReturnValue
    public <R> LockedTransaction.Operation<R> claim(Claim claim, RowMapper<R> mapper) {
        ClaimParts parts = ClaimParts.of(claim);
        Arguments.notNull(mapper, "The row mapper is null");
        DataSource source = dataSource.get();
        return new LockedTransaction.Operation<>() {
            @Override
            public <T extends @Nullable Object, X extends Exception> T inTransaction(
                    LockedTransaction.Work<R, T, X> work) throws X, SQLException {
                return runner.run(source, parts, mapper, work);
            }
        };
    }

    /**
     * Returns an object that locks in the caller's transaction. This method is cheap and runs no SQL. Rowlock checks
     * the connection only when the caller acquires a lock.
     *
     * @param connection a connection of the PostgreSQL JDBC driver, or a wrapper that unwraps to such a connection; not
     *     in autocommit when a lock is acquired
     * @return the object, which acquires locks on that connection
     */
    public TransactionLocks in(Connection connection) {
        return runner.in(Arguments.notNull(connection, "The connection is null"));
    }

    /**
     * Checks that a lock on one connection of the DataSource excludes the same lock on another connection. The check
     * sends its statements through the DataSource, as real calls do. Call this method at startup. The check finds:
     *
     * <ul>
     *   <li>servers and poolers that accept advisory locks without locking, or keep the locks after the end of the
     *       transaction
     *   <li>DataSources whose connections lead to different servers
     *   <li>poolers that send reads and locks to different servers, mix up prepared statements or do not support
     *       transactions
     *   <li>with strategy {@link LockStrategy#ADVISORY}, databases that span several machines, such as Citus; see
     *       {@link RowLocksBuilder#singleEntryNode}
     * </ul>
     *
     * <p>The check borrows all free connections of the DataSource at the same time, at least two and at most sixteen,
     * and compares the connections. The check waits at most a second for the third and each further connection. The
     * check locks random keys, writes nothing and holds no lock afterwards. The check fails if a server does not answer
     * for ten seconds. The check may miss intermittent faults.
     *
     * @throws LockVerificationException if locks do not exclude each other, or if the check could not be completed
     * @throws LockTransactionException if the connections are read-only or lead to a hot standby
     */
    public void verify() {
        verifier().verify(dataSource.get(), LockVerifier.LOOKS);
    }

    private LockVerifier verifier() {
        return new LockVerifier(runner.calls().tables(), singleEntryNode);
    }

    /** Returns an object with the same configuration for another DataSource; see {@link LockAccess#on}. */
    RowLocks on(DataSource other) {
        return new RowLocks(runner, singleEntryNode, () -> other);
    }

    /** Gives Rowlock's other modules access to this object. */
    private final class Inside implements LockAccess {
        @Override
        public RowLocks on(DataSource other) {
            return RowLocks.this.on(other);
        }

        @Override
        public void verify(DataSource other, int connections) {
            verifier().verify(other, connections);
        }

        @Override
        public LockCalls calls() {
            return runner.calls();
        }

        @Override
        public LockResult lock(Connection connection, LockRequest request, @Nullable RowStatement statement) {
            return in(connection).lock(RequestParts.of(request), statement, false);
        }

        @Override
        public CommitWrites joined(List<CommitWrites> parts) {
            CommitWrites all = new CommitWrites();
            parts.forEach(all::addAll);
            return all;
        }

        @Override
        public void send(Connection connection, CommitWrites writes) throws SQLException {
            Commit.sendWrites(connection, CommitWrites.toSend(writes));
        }
    }
}
