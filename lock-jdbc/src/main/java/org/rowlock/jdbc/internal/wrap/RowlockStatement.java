package org.rowlock.jdbc.internal.wrap;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.forward.ForwardingStatement;
import org.rowlock.jdbc.internal.group.GroupMember;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.queue.StatementPlan;
import org.rowlock.jdbc.internal.queue.Turn;
import org.rowlock.jdbc.internal.queue.Turns;
import org.rowlock.jdbc.internal.statement.Binds;
import org.rowlock.jdbc.internal.statement.PassReason;

/** A statement that goes to the server when it is its turn. */
class RowlockStatement extends ForwardingStatement {
    private final RowlockConnection connection;
    private final Statement delegate;
    private String firstOfBatch;
    private int batchSize;
    private RowlockResultSet lastResults;
    private RowlockResultSet lastKeys;

    /**
     * Whose results these are: the delegate's, or those of another that ran in its place. Another thread may cancel it.
     */
    private volatile Statement ran;

    /** Whether a call for generated keys has failed: the driver takes the next result for them. */
    private boolean keysAreDue;

    /** Whether it was cancelled since a lock in front was sent. */
    private volatile boolean cancelled;

    RowlockStatement(RowlockConnection connection, Statement delegate) {
        super(delegate);
        this.connection = connection;
        this.delegate = delegate;
        this.ran = delegate;
    }

    @Override
    protected void unwrapped() {
        connection.unwrapped();
    }

    /**
     * Sends a statement when it is its turn, with a lock in front where one is due.
     *
     * @param plan null where nobody looks
     * @param execution null where it is sent in no other way than by the call
     * @param member what a group may do in its place, or null
     */
    final <T> T send(StatementPlan plan, Binds binds, Execution<T> execution, GroupMember member, Call<T> call)
            throws SQLException {
        Turns turns = connection.turns();
        Turn turn = turns.enter(plan, binds, delegate, member);
        boolean done = false;
        try {
            Front lock = turn.front();
            Statement fronted = lock == null ? null : sendInFront(plan, turn, lock, execution);
            T result;
            if (fronted != null) {
                // The lock's own result is the first.
                lock.answered(FrontSql.waitedNanos(fronted.getResultSet()));
                fronted.getMoreResults();
                result = execution.reader().read(fronted);
            } else {
                runs(delegate);
                result = member != null && member.isDone() ? execution.ofGroup().apply(member.count()) : call.send();
            }
            done = true;
            return result;
        } finally {
            keysAreDue = !done && (keysAreDue || execution == null);
            turns.leave(turn, done);
        }
    }

    /** Null where it is to go to the server without the lock: it cannot be sent so, or was waited for too long. */
    private Statement sendInFront(StatementPlan plan, Turn turn, Front lock, Execution<?> execution)
            throws SQLException {
        cancelled = false;
        try {
            Statement fronted =
                    execution != null && !keysAreDue && execution.fits(plan) ? sendInFront(plan, lock) : null;
            if (fronted == null) {
                lock.unsent();
            } else {
                plan.figures().count(Figure.FRONTED);
            }
            return fronted;
        } catch (SQLException e) {
            if (!turn.givesUpFront(e)) {
                throw e;
            }
            // Between the two statements the driver has nothing to cancel.
            if (cancelled) {
                throw connection.turns().canceled();
            }
            return null;
        }
    }

    /** Sends a statement with a lock in front; null where this one cannot be, and then has sent nothing. */
    Statement sendInFront(StatementPlan plan, Front lock) throws SQLException {
        if (!isPlain()) {
            return null;
        }
        int millis = frontMillis(lock);
        delegate.execute(FrontSql.literal(lock.isTimed(), lock.key(), millis) + ';' + plan.sql());
        return delegate;
    }

    /** The longest wait for what goes in front; the server has the session's own timeouts, and makes it shorter. */
    final int frontMillis(Front lock) throws SQLException {
        int own = delegate.getQueryTimeout();
        return own == 0
                ? lock.millis()
                : (int) Math.min(lock.millis(), TimeUnit.SECONDS.toMillis(own) / FrontSql.PART_OF_TIMEOUT);
    }

    /** From here on the results are of this statement. */
    final void runs(Statement statement) throws SQLException {
        Statement before = ran;
        if (!before.equals(statement)) {
            ran = statement;
            // As when one statement runs again.
            ResultSet open = before.isClosed() ? null : before.getResultSet();
            if (open != null) {
                open.close();
                if (delegate.isCloseOnCompletion()) {
                    // The driver too closes it with its result, and then refuses to run it again.
                    delegate.close();
                }
            }
        }
    }

    /** Whether the delegate is set up as another statement of the same text would be, but for its query timeout. */
    final boolean isPlain() throws SQLException {
        return !delegate.isClosed()
                && delegate.getFetchSize() == 0
                && delegate.getMaxRows() == 0
                && delegate.getMaxFieldSize() == 0
                && !delegate.isCloseOnCompletion()
                && delegate.getResultSetType() == ResultSet.TYPE_FORWARD_ONLY
                && delegate.getResultSetConcurrency() == ResultSet.CONCUR_READ_ONLY;
    }

    /** Sends a batch, which has a turn if it is of one row. */
    final <T> T sendBatch(StatementPlan plan, Binds binds, int size, Call<T> call) throws SQLException {
        if (size == 1) {
            return send(plan, binds, null, null, call);
        }
        if (size == 0) {
            runs(delegate);
            return call.send();
        }
        Turn turn = connection.turns().pass(plan, PassReason.BATCH);
        boolean done = false;
        try {
            runs(delegate);
            T result = call.send();
            done = true;
            return result;
        } finally {
            connection.turns().leave(turn, done);
        }
    }

    @Override
    protected <T> T send(String sql, Call<T> call) throws SQLException {
        return send(sql, null, call);
    }

    private <T> T send(String sql, Execution<T> execution, Call<T> call) throws SQLException {
        return send(connection.plan(sql), Binds.NONE, ofText(execution), null, call);
    }

    /** How a text may be sent besides by the call; null for in no other way. */
    <T> Execution<T> ofText(Execution<T> execution) {
        return execution;
    }

    final ResultSet wrap(ResultSet results) {
        lastResults = RowlockResultSet.of(this, results, lastResults);
        return lastResults;
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        return wrap(send(sql, Execution.QUERY, () -> delegate.executeQuery(sql)));
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        return send(sql, Execution.ANY, () -> delegate.execute(sql));
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        return send(sql, Execution.UPDATE, () -> delegate.executeUpdate(sql));
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        return send(sql, Execution.LARGE_UPDATE, () -> delegate.executeLargeUpdate(sql));
    }

    @Override
    public void addBatch(String sql) throws SQLException {
        delegate.addBatch(sql);
        connection.turns().sees(connection.plan(sql));
        if (batchSize++ == 0) {
            firstOfBatch = sql;
        }
    }

    @Override
    public void clearBatch() throws SQLException {
        delegate.clearBatch();
        batchSize = 0;
    }

    @Override
    public int[] executeBatch() throws SQLException {
        return sendOwnBatch(delegate::executeBatch);
    }

    @Override
    public long[] executeLargeBatch() throws SQLException {
        return sendOwnBatch(delegate::executeLargeBatch);
    }

    private <T> T sendOwnBatch(Call<T> call) throws SQLException {
        int size = batchSize;
        batchSize = 0;
        return sendBatch(connection.plan(firstOfBatch), Binds.NONE, size, call);
    }

    @Override
    public void cancel() throws SQLException {
        cancelled = true;
        if (!connection.turns().cancel(delegate)) {
            ran.cancel();
        }
    }

    @Override
    public void close() throws SQLException {
        // As the driver, which cancels what another thread runs.
        connection.turns().cancel(delegate);
        delegate.close();
    }

    /** The delegate, which closes itself with its last result, knows nothing of those of another statement. */
    final void resultClosed() throws SQLException {
        Statement other = ran;
        if (!other.equals(delegate) && !delegate.isClosed() && delegate.isCloseOnCompletion()) {
            ResultSet open = other.isClosed() ? null : other.getResultSet();
            if (open == null || open.isClosed()) {
                close();
            }
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        // As the driver, which refuses where the statement is closed.
        delegate.getConnection();
        return connection;
    }

    @Override
    protected Statement ran() {
        return ran;
    }

    @Override
    public ResultSet getResultSet() throws SQLException {
        return wrap(super.getResultSet());
    }

    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        lastKeys = RowlockResultSet.of(this, super.getGeneratedKeys(), lastKeys);
        return lastKeys;
    }
}
