package org.rowlock.jdbc.internal.wrap;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.WaiterSql;
import org.rowlock.jdbc.internal.forward.ForwardingStatement;
import org.rowlock.jdbc.internal.queue.Turn;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;

/** A statement that may have to wait in the JVM before it goes to the server. */
class RowlockStatement extends ForwardingStatement {
    final RowlockConnection connection;
    private @Nullable StatementPlan firstPlan;
    private Binds firstBinds = Binds.NONE;
    int batchSize;
    private @Nullable RowlockResultSet lastResults;
    private @Nullable RowlockResultSet lastKeys;

    /**
     * The statement whose results are read: the delegate, or the statement that Rowlock ran instead. This field and
     * {@link #cancelled} are volatile because another thread may cancel the statement.
     */
    private volatile Statement ran;

    /** Whether the statement was cancelled since this field was last reset. */
    volatile boolean cancelled;

    RowlockStatement(RowlockConnection connection, Statement delegate) {
        super(delegate);
        this.connection = connection;
        this.ran = delegate;
    }

    @Override
    protected void unwrapped() throws SQLException {
        connection.unwrapped();
    }

    final <T> T send(@Nullable Turn turn, Call<T> call) throws SQLException {
        boolean done = false;
        try {
            T result = call.send();
            done = true;
            return result;
        } finally {
            connection.turns.leave(turn, done);
        }
    }

    /** Records that the last execution, with a count or -1, is kept or was sent by a group. Returns its results. */
    final Statement ranUnsent(long count, @Nullable SQLWarning warnings) throws SQLException {
        runs(delegate);
        Statement unsent = new UnsentStatement(delegate, count, warnings);
        ran = unsent;
        return unsent;
    }

    /** Keeps the batch. Returns false if the batch must be sent. */
    boolean keepBatch() throws SQLException {
        return false;
    }

    final void runs(Statement statement) throws SQLException {
        Statement before = ran;
        ran = statement;
        if (!before.equals(statement) && !before.isClosed()) {
            // JDBC closes the open results of a statement that runs again.
            boolean open = before.getResultSet() != null;
            before.getMoreResults(CLOSE_ALL_RESULTS);
            if (open && delegate.isCloseOnCompletion()) {
                // The driver, too, would close the statement, and then refuse to run it again.
                delegate.close();
            }
        }
    }

    /** Sends a batch. Only a batch of one execution may wait in the JVM. */
    private <T> T sendBatch(Function<long[], T> unknown, Call<T> call) throws SQLException {
        int size = batchSize;
        boolean sent = false;
        try {
            if (keepBatch()) {
                long[] counts = new long[size];
                Arrays.fill(counts, SUCCESS_NO_INFO);
                return unknown.apply(counts);
            }
            if (size == 0) {
                runs(delegate);
                return call.send();
            }
            Turn turn = connection.turns.enter(firstPlan, size == 1 ? firstBinds : null, delegate, false);
            sent = true;
            return sendOwn(turn, call);
        } catch (BatchUpdateException e) {
            throw WaiterSql.uncommented(e);
        } finally {
            batchSize = 0;
            if (!sent && !delegate.isClosed()) {
                // The driver drops a batch that fails. A batch that was not sent must be dropped, too.
                delegate.clearBatch();
            }
        }
    }

    @Override
    protected String sent(String sql) {
        return connection.sent(sql);
    }

    @Override
    protected <T> T send(String sql, Call<T> call) throws SQLException {
        return sendOwn(connection.turns.enter(connection.plan(sql), Binds.NONE, delegate, false), call);
    }

    private <T> T sendOwn(@Nullable Turn turn, Call<T> call) throws SQLException {
        return send(turn, () -> {
            runs(delegate);
            return call.send();
        });
    }

    final @Nullable ResultSet wrap(@Nullable ResultSet results) {
        lastResults = wrap(results, lastResults);
        return lastResults;
    }

    /** Wraps a result. Returns the previous wrapper if the driver has returned the previous result again. */
    private @Nullable RowlockResultSet wrap(@Nullable ResultSet results, @Nullable RowlockResultSet last) {
        if (results == null) {
            return null;
        }
        return last != null && last.wraps(results) ? last : new RowlockResultSet(this, results);
    }

    @Override
    public @Nullable ResultSet executeQuery(String sql) throws SQLException {
        return wrap(super.executeQuery(sql));
    }

    @Override
    public void addBatch(String sql) throws SQLException {
        delegate.addBatch(sql);
        StatementPlan plan = connection.plan(sql);
        connection.turns.addsToBatch(plan);
        batched(plan, Binds.NONE);
    }

    final void batched(@Nullable StatementPlan plan, Binds binds) {
        if (batchSize++ == 0) {
            firstPlan = plan;
            firstBinds = binds.copy();
        }
    }

    @Override
    public void clearBatch() throws SQLException {
        delegate.clearBatch();
        batchSize = 0;
    }

    @Override
    public int[] executeBatch() throws SQLException {
        return sendBatch(
                counts -> Arrays.stream(counts).mapToInt(Math::toIntExact).toArray(), delegate::executeBatch);
    }

    @Override
    public long[] executeLargeBatch() throws SQLException {
        return sendBatch(counts -> counts, delegate::executeLargeBatch);
    }

    @Override
    public void cancel() throws SQLException {
        if (!cancelWait()) {
            ran.cancel();
        }
    }

    /** Cancels the wait in the JVM, if there is one. Returns whether there was one. */
    final boolean cancelWait() throws SQLException {
        cancelled = true;
        return connection.turns.cancel(delegate);
    }

    @Override
    public void close() throws SQLException {
        // The driver's close() also cancels the statement of another thread, so a wait in the JVM is cancelled too.
        boolean unused = cancelWait();
        delegate.close();
    }

    /** Prepares for a statement that the driver itself sends, usually to change a row of a result. */
    final void usesRow() throws SQLException {
        connection.used();
        connection.turns.mayLock();
    }

    /** Closes the statement with the last result of {@link #ran}, if closeOnCompletion() was called. */
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
        // The call throws the driver's exception if the statement is closed.
        delegate.getConnection();
        return connection;
    }

    @Override
    protected Statement ran() throws SQLException {
        Statement now = ran;
        if (!now.equals(delegate)) {
            // The call throws the driver's exception if the statement is closed.
            delegate.getUpdateCount();
        }
        return now;
    }

    @Override
    public void clearWarnings() throws SQLException {
        // The driver's method, too, clears the warnings of a closed statement.
        ran.clearWarnings();
    }

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        return wrap(super.getResultSet());
    }

    @Override
    public @Nullable ResultSet getGeneratedKeys() throws SQLException {
        lastKeys = wrap(super.getGeneratedKeys(), lastKeys);
        return lastKeys;
    }
}
