package org.rowlock.jdbc.internal.wrap;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.StatementMember;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.forward.ForwardingStatement;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.queue.Turn;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;

/** A statement that may have to wait in the JVM before it goes to the server. */
class RowlockStatement extends ForwardingStatement {
    private final RowlockConnection connection;
    private final Statement delegate;
    private @Nullable StatementPlan firstPlan;
    private Binds firstBinds = Binds.NONE;
    private int batchSize;
    private @Nullable RowlockResultSet lastResults;
    private @Nullable RowlockResultSet lastKeys;

    /**
     * The statement whose results are read: the delegate, or the statement that Rowlock ran instead. The field is
     * volatile because another thread may cancel the statement.
     */
    private volatile Statement ran;

    /**
     * Whether a call that requests generated keys has failed. The driver then treats the next result as the generated
     * keys.
     */
    private boolean keysAreDue;

    /** Whether a savepoint is set for the front lock. This is false in autocommit, where savepoints are impossible. */
    private boolean marked;

    /** Whether the statement was cancelled after Rowlock sent its front lock. */
    private volatile boolean cancelled;

    RowlockStatement(RowlockConnection connection, Statement delegate) {
        super(delegate);
        this.connection = connection;
        this.delegate = delegate;
        this.ran = delegate;
    }

    @Override
    protected void unwrapped() throws SQLException {
        connection.unwrapped();
    }

    /**
     * Waits until a statement may go to the server, and then sends the statement, with a front lock if necessary.
     *
     * @param plan null if statements are not examined
     * @param execution the method that executes the statement; null if only the given call may send the statement
     */
    final <T> T send(@Nullable StatementPlan plan, Binds binds, @Nullable Execution<T> execution, Call<T> call)
            throws SQLException {
        Turn turn = connection.turns().enter(plan, binds, delegate, isWhole(plan, execution) && batchSize == 0);
        return send(turn, plan, execution, call);
    }

    /**
     * Whether Rowlock may send the statement with a front lock or in a group, and then supply the value that the called
     * JDBC method returns.
     */
    private boolean isWhole(@Nullable StatementPlan plan, @Nullable Execution<?> execution) {
        return execution != null && !keysAreDue && execution.fits(plan);
    }

    private <T> T send(
            @Nullable Turn turn, @Nullable StatementPlan plan, @Nullable Execution<T> execution, Call<T> call)
            throws SQLException {
        boolean done = false;
        try {
            Statement sent = turn == null || plan == null ? null : sendInFront(plan, turn, isWhole(plan, execution));
            if (sent == null) {
                runs(delegate);
                StatementMember.Result result = turn == null ? null : turn.grouped();
                sent = result == null ? null : new UnsentStatement(delegate, result.count(), result.warnings());
                ran = sent == null ? delegate : sent;
            }
            T result = sent == null || execution == null
                    ? call.send()
                    : execution.reader().read(sent);
            done = true;
            return result;
        } finally {
            keysAreDue = execution == null ? keysAreDue || !done : keysAreDue && !done;
            connection.turns().leave(turn, done);
        }
    }

    /**
     * Sends a statement with its front lock. Returns null if the caller must send the statement without the front lock:
     * the statement cannot have a front lock, or the wait for the front lock was too long.
     */
    private @Nullable Statement sendInFront(StatementPlan plan, Turn turn, boolean isWhole) throws SQLException {
        Front lock = turn.front();
        if (lock == null) {
            return null;
        }
        cancelled = false;
        long start = System.nanoTime();
        Statement fronted;
        try {
            marked = !connection.getAutoCommit();
            fronted = isWhole ? sendInFront(plan, lock) : null;
        } catch (SQLException e) {
            if (!turn.givesUpFront(e, System.nanoTime() - start)) {
                throw e;
            }
            // No statement runs at the server between the attempt with the front lock and the attempt without the front
            // lock. A cancel in that time has no effect at the driver. Rowlock itself therefore raises the error of a
            // cancelled statement.
            if (cancelled) {
                throw connection.turns().canceled();
            }
            return null;
        }
        if (fronted == null) {
            lock.unsent();
            return null;
        }
        if (!lock.isMarker()) {
            plan.figures().count(Figure.FRONTED);
        }
        // The first results of the flush belong to the front lock, and are read before the result of the statement.
        lock.answered(FrontSql.waitedNanos(fronted, marked));
        return fronted;
    }

    /**
     * Sends a statement with a front lock. Returns null, and sends nothing, if the statement cannot have a front lock.
     */
    @Nullable
    Statement sendInFront(StatementPlan plan, Front lock) throws SQLException {
        if (!isPlain()) {
            return null;
        }
        int millis = frontMillis(lock);
        String sql = FrontSql.literal(lock.isMarker(), lock.key(), millis);
        delegate.execute(FrontSql.inFrontOf(plan.sql(), plan.shape().row(), sql, marked));
        return delegate;
    }

    final boolean isMarked() {
        return marked;
    }

    /**
     * Returns the longest wait for the front lock. The server shortens this wait if the session's own timeouts are
     * shorter.
     */
    final int frontMillis(Front lock) throws SQLException {
        int own = delegate.getQueryTimeout();
        return own == 0
                ? lock.millis()
                : (int) Math.min(lock.millis(), TimeUnit.SECONDS.toMillis(own) / FrontSql.PART_OF_TIMEOUT);
    }

    /**
     * Records that the last execution was kept and will be sent later.
     *
     * @param count the update count of the statement: 1, or -1 after a batch
     */
    final void kept(long count) throws SQLException {
        runs(delegate);
        ran = new UnsentStatement(delegate, count, null);
    }

    /**
     * Whether Rowlock may keep the execution. After a failed call that requested generated keys, the execution must be
     * sent, because the driver treats the next result as these keys.
     */
    final boolean mayBeKept() {
        return !keysAreDue;
    }

    final int batchSize() {
        return batchSize;
    }

    /** Keeps the batch. Returns false if the batch must be sent. */
    boolean keepBatch() throws SQLException {
        return false;
    }

    /** Sets the statement whose results the application reads. */
    final void runs(Statement statement) throws SQLException {
        Statement before = ran;
        if (!before.equals(statement)) {
            ran = statement;
            // JDBC closes the open result of a statement that runs again.
            ResultSet open = before.isClosed() ? null : before.getResultSet();
            if (open != null) {
                open.close();
                if (delegate.isCloseOnCompletion()) {
                    // The driver, too, closes such a statement together with its result, and then refuses to run the
                    // statement again.
                    delegate.close();
                }
            }
        }
    }

    final boolean isPlain() throws SQLException {
        return Turn.isPlain(delegate);
    }

    /** Sends a batch. Only a batch of one execution may wait in the JVM. */
    private <T> T sendBatch(Function<long[], T> unknown, Call<T> call) throws SQLException {
        int size = batchSize;
        boolean kept;
        try {
            kept = keepBatch();
        } finally {
            batchSize = 0;
        }
        if (kept) {
            long[] counts = new long[size];
            Arrays.fill(counts, SUCCESS_NO_INFO);
            return unknown.apply(counts);
        }
        if (size == 0) {
            runs(delegate);
            return call.send();
        }
        Turn turn = connection.turns().enter(firstPlan, size == 1 ? firstBinds : null, delegate, false);
        return send(turn, firstPlan, null, call);
    }

    @Override
    protected <T> T send(String sql, Call<T> call) throws SQLException {
        return send(sql, null, call);
    }

    private <T> T send(String sql, @Nullable Execution<T> execution, Call<T> call) throws SQLException {
        // The driver's prepared statement rejects every text in these methods, even its own text.
        boolean refused = delegate instanceof PreparedStatement;
        return send(connection.plan(sql), Binds.NONE, refused ? null : execution, call);
    }

    final @Nullable ResultSet wrap(@Nullable ResultSet results) {
        lastResults = RowlockResultSet.of(this, results, lastResults);
        return lastResults;
    }

    @Override
    public @Nullable ResultSet executeQuery(String sql) throws SQLException {
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
        StatementPlan plan = connection.plan(sql);
        connection.turns().addsToBatch(plan);
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
        cancelled = true;
        if (!connection.turns().cancel(delegate)) {
            ran.cancel();
        }
    }

    @Override
    public void close() throws SQLException {
        // The driver's close() also cancels the statement of another thread, so a wait in the JVM is cancelled too.
        connection.turns().cancel(delegate);
        delegate.close();
    }

    final void used() throws SQLException {
        connection.used();
    }

    /** Prepares for a statement that the driver makes itself, in order to change a row of a result. */
    final void changesRow() throws SQLException {
        connection.used();
        connection.turns().mayLock();
    }

    /**
     * Closes the statement together with its last result, if closeOnCompletion() was called. The delegate does this
     * only for its own results, and not for the results of another statement.
     */
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

    /** Clears the warnings, even if the statement is closed, as the driver's method does. */
    @Override
    public void clearWarnings() throws SQLException {
        ran.clearWarnings();
    }

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        return wrap(super.getResultSet());
    }

    @Override
    public @Nullable ResultSet getGeneratedKeys() throws SQLException {
        lastKeys = RowlockResultSet.of(this, super.getGeneratedKeys(), lastKeys);
        return lastKeys;
    }
}
