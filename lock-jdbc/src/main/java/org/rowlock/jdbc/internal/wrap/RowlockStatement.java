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
import org.rowlock.jdbc.internal.statement.PassReason;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;

/** A statement that goes to the server when it is its turn. */
class RowlockStatement extends ForwardingStatement {
    private final RowlockConnection connection;
    private final Statement delegate;
    private @Nullable StatementPlan firstPlan;
    private Binds firstBinds = Binds.NONE;
    private int batchSize;
    private @Nullable RowlockResultSet lastResults;
    private @Nullable RowlockResultSet lastKeys;

    /**
     * Whose results these are: the delegate's, or those of another that ran in its place. Another thread may cancel it.
     */
    private volatile Statement ran;

    /** Whether a call for generated keys has failed: the driver takes the next result for them. */
    private boolean keysAreDue;

    /** Whether the lock in front that is sent has its savepoint, which autocommit cannot have. */
    private boolean marked;

    /** Whether it was cancelled since a lock in front was sent. */
    private volatile boolean cancelled;

    /** Whether its last execution was kept, so that the count is not known yet. */
    private boolean isKept;

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
     * Sends a statement when it is its turn, with a lock in front where one is due.
     *
     * @param plan null where nobody looks
     * @param execution null where it is sent in no other way than by the call
     */
    final <T> T send(@Nullable StatementPlan plan, Binds binds, @Nullable Execution<T> execution, Call<T> call)
            throws SQLException {
        Turn turn = connection.turns().enter(plan, binds, delegate, isWhole(plan, execution) && batchSize == 0);
        return send(turn, plan, execution, call);
    }

    /** Whether another way may send it, whose result is then read. */
    private boolean isWhole(@Nullable StatementPlan plan, @Nullable Execution<?> execution) {
        return execution != null && !keysAreDue && execution.fits(plan);
    }

    private <T> T send(Turn turn, @Nullable StatementPlan plan, @Nullable Execution<T> execution, Call<T> call)
            throws SQLException {
        boolean done = false;
        try {
            Front lock = turn.front();
            Statement sent =
                    lock == null || plan == null ? null : sendInFront(plan, turn, lock, isWhole(plan, execution));
            if (lock != null && sent != null) {
                // The lock's own result is the first.
                lock.answered(FrontSql.waitedNanos(sent, marked));
            } else {
                runs(delegate);
                StatementMember.Told told = turn.grouped();
                sent = told == null ? null : new GroupedStatement(delegate, told);
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

    /** Null where it is to go to the server without the lock: it cannot be sent so, or was waited for too long. */
    private @Nullable Statement sendInFront(StatementPlan plan, Turn turn, Front lock, boolean isWhole)
            throws SQLException {
        cancelled = false;
        long start = System.nanoTime();
        try {
            marked = !connection.getAutoCommit();
            Statement fronted = isWhole ? sendInFront(plan, lock) : null;
            if (fronted == null) {
                lock.unsent();
            } else {
                plan.figures().count(Figure.FRONTED);
            }
            return fronted;
        } catch (SQLException e) {
            if (!turn.givesUpFront(e, System.nanoTime() - start)) {
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
    @Nullable
    Statement sendInFront(StatementPlan plan, Front lock) throws SQLException {
        if (!isPlain()) {
            return null;
        }
        int millis = frontMillis(lock);
        String sql = FrontSql.literal(lock.isTimed(), lock.key(), millis);
        delegate.execute(FrontSql.inFrontOf(plan.sql(), recognised(plan).row(), sql, marked));
        return delegate;
    }

    /** What has a lock in front. */
    static Recognised recognised(StatementPlan plan) {
        return (Recognised) plan.shape();
    }

    final boolean isMarked() {
        return marked;
    }

    /** The longest wait for what goes in front; the server has the session's own timeouts, and makes it shorter. */
    final int frontMillis(Front lock) throws SQLException {
        int own = delegate.getQueryTimeout();
        return own == 0
                ? lock.millis()
                : (int) Math.min(lock.millis(), TimeUnit.SECONDS.toMillis(own) / FrontSql.PART_OF_TIMEOUT);
    }

    /** What was executed last is sent later: it has no results but its count. */
    final void kept() throws SQLException {
        runs(delegate);
        isKept = true;
    }

    /** Whether nothing is left of what was done before that another order would change. */
    final boolean mayBeKept() {
        return !keysAreDue;
    }

    final int batchSize() {
        return batchSize;
    }

    /** Keeps the batch, and returns how many it had; 0 where it is sent. */
    int keepBatch() throws SQLException {
        return 0;
    }

    /** From here on the results are of this statement. */
    final void runs(Statement statement) throws SQLException {
        isKept = false;
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
    private <T> T sendBatch(Function<long[], T> unknown, Call<T> call) throws SQLException {
        int keptSize = keepBatch();
        if (keptSize > 0) {
            batchSize = 0;
            long[] counts = new long[keptSize];
            Arrays.fill(counts, SUCCESS_NO_INFO);
            return unknown.apply(counts);
        }
        int size = batchSize;
        batchSize = 0;
        if (size == 0) {
            runs(delegate);
            return call.send();
        }
        Turn turn = size == 1
                ? connection.turns().enter(firstPlan, firstBinds, delegate, false)
                : connection.turns().pass(firstPlan, PassReason.BATCH);
        return send(turn, firstPlan, null, call);
    }

    @Override
    protected <T> T send(String sql, Call<T> call) throws SQLException {
        return send(sql, null, call);
    }

    private <T> T send(String sql, @Nullable Execution<T> execution, Call<T> call) throws SQLException {
        // A prepared statement of the driver refuses another text, also the same one again.
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
        connection.turns().sees(plan);
        batched(plan, Binds.NONE);
    }

    /** The batch has one more. */
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
        // As the driver, which cancels what another thread runs.
        connection.turns().cancel(delegate);
        delegate.close();
    }

    /** A result reads or writes by itself. */
    final void used() throws SQLException {
        connection.used();
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
    protected Statement ran() throws SQLException {
        if (isKept) {
            // The results of what is sent are not read here, but its failure is told.
            connection.used();
        }
        Statement now = ran;
        if (!now.equals(delegate)) {
            // Which fails where this is closed.
            delegate.getUpdateCount();
        }
        return now;
    }

    @Override
    public int getUpdateCount() throws SQLException {
        return isKept && !delegate.isClosed() ? 1 : super.getUpdateCount();
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        return isKept && !delegate.isClosed() ? 1 : super.getLargeUpdateCount();
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        boolean more = super.getMoreResults();
        isKept = false;
        return more;
    }

    /** Of a closed statement, too: the driver does not look. */
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
