package org.rowlock.jdbc.internal.wrap;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.forward.ForwardingStatement;
import org.rowlock.jdbc.internal.statement.PassReason;
import org.rowlock.jdbc.internal.turn.Binds;
import org.rowlock.jdbc.internal.turn.StatementPlan;
import org.rowlock.jdbc.internal.turn.Turns;

/** A statement that goes to the server when it is its turn. */
class RowlockStatement extends ForwardingStatement {
    private static final InFront NO_FRONT = lock -> null;

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

    /** What is sent to the server. */
    interface Call<T> {
        T send() throws SQLException;
    }

    /** How a statement is sent with a lock in front; gives null where this one cannot be, and then has sent nothing. */
    interface InFront {
        Statement send(Front lock) throws SQLException;
    }

    /** What is read of a statement that was sent, as its own method would give it. */
    interface Answer<T> {
        T read(Statement statement) throws SQLException;
    }

    /** Sends a statement when it is its turn; a plan is null where nobody looks. */
    final <T> T send(StatementPlan plan, Binds binds, Call<T> call) throws SQLException {
        return send(plan, binds, call, NO_FRONT, null);
    }

    /**
     * The same, with a lock in front where one is due.
     *
     * @param reader null where it is never sent so
     */
    final <T> T send(StatementPlan plan, Binds binds, Call<T> call, InFront inFront, Answer<T> reader)
            throws SQLException {
        Turns turns = connection.turns();
        QueueEntry entry = turns.enter(plan, binds, delegate);
        Front lock = turns.takeFront();
        boolean done = false;
        try {
            Statement fronted = lock == null ? null : sendInFront(plan, lock, reader == null ? NO_FRONT : inFront);
            T result;
            if (fronted == null) {
                runs(delegate);
                result = call.send();
            } else {
                // The lock's own result is the first.
                lock.answered(FrontSql.waitedNanos(fronted.getResultSet()));
                fronted.getMoreResults();
                result = reader.read(fronted);
            }
            done = true;
            return result;
        } finally {
            turns.leave(entry, done);
        }
    }

    /** Null where it is to go to the server without the lock: it cannot be sent so, or was waited for too long. */
    private Statement sendInFront(StatementPlan plan, Front lock, InFront inFront) throws SQLException {
        cancelled = false;
        try {
            Statement fronted = inFront.send(lock);
            if (fronted == null) {
                lock.unsent();
            } else {
                plan.fronted();
            }
            return fronted;
        } catch (SQLException e) {
            if (!connection.turns().givesUpFront(plan, lock, e)) {
                throw e;
            }
            // Between the two statements the driver has nothing to cancel.
            if (cancelled) {
                throw connection.turns().canceled();
            }
            return null;
        }
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

    private Statement sendInFront(Front lock, String sql) throws SQLException {
        if (!isPlain()) {
            return null;
        }
        int millis = Turns.frontMillis(lock, delegate);
        delegate.execute(FrontSql.literal(lock.isTimed(), lock.key(), millis) + ';' + sql);
        return delegate;
    }

    /** Sends a batch, which has a turn if it is of one row. */
    final <T> T sendBatch(StatementPlan plan, Binds binds, int size, Call<T> call) throws SQLException {
        if (size == 1) {
            return send(plan, binds, call);
        }
        if (size == 0) {
            runs(delegate);
            return call.send();
        }
        connection.turns().pass(plan, PassReason.BATCH);
        boolean done = false;
        try {
            runs(delegate);
            T result = call.send();
            done = true;
            return result;
        } finally {
            connection.turns().leave(null, done);
        }
    }

    private <T> T send(String sql, Call<T> call) throws SQLException {
        return send(connection.plan(sql), Binds.NONE, call);
    }

    private <T> T send(StatementPlan plan, String sql, Call<T> call, Answer<T> reader) throws SQLException {
        return send(plan, Binds.NONE, call, lock -> sendInFront(lock, sql), reader);
    }

    /** How the result of a query is read; null where it has none, which the driver is to say. */
    static Answer<ResultSet> rows(StatementPlan plan) {
        return plan != null && plan.returnsRows() ? Statement::getResultSet : null;
    }

    /** How a number of rows is read; null where there are rows. */
    static <T> Answer<T> count(StatementPlan plan, Answer<T> reader) {
        return plan == null || plan.returnsRows() ? null : reader;
    }

    final ResultSet wrap(ResultSet results) {
        lastResults = RowlockResultSet.of(this, results, lastResults);
        return lastResults;
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        StatementPlan plan = connection.plan(sql);
        return wrap(send(plan, sql, () -> delegate.executeQuery(sql), rows(plan)));
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        StatementPlan plan = connection.plan(sql);
        return send(plan, sql, () -> delegate.execute(sql), statement -> plan.returnsRows());
    }

    @Override
    public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
        return send(sql, () -> delegate.execute(sql, autoGeneratedKeys));
    }

    @Override
    public boolean execute(String sql, int[] columnIndexes) throws SQLException {
        return send(sql, () -> delegate.execute(sql, columnIndexes));
    }

    @Override
    public boolean execute(String sql, String[] columnNames) throws SQLException {
        return send(sql, () -> delegate.execute(sql, columnNames));
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        StatementPlan plan = connection.plan(sql);
        return send(plan, sql, () -> delegate.executeUpdate(sql), count(plan, Statement::getUpdateCount));
    }

    @Override
    public int executeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return send(sql, () -> delegate.executeUpdate(sql, autoGeneratedKeys));
    }

    @Override
    public int executeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return send(sql, () -> delegate.executeUpdate(sql, columnIndexes));
    }

    @Override
    public int executeUpdate(String sql, String[] columnNames) throws SQLException {
        return send(sql, () -> delegate.executeUpdate(sql, columnNames));
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        StatementPlan plan = connection.plan(sql);
        return send(plan, sql, () -> delegate.executeLargeUpdate(sql), count(plan, Statement::getLargeUpdateCount));
    }

    @Override
    public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return send(sql, () -> delegate.executeLargeUpdate(sql, autoGeneratedKeys));
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return send(sql, () -> delegate.executeLargeUpdate(sql, columnIndexes));
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
        return send(sql, () -> delegate.executeLargeUpdate(sql, columnNames));
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
    public ResultSet getResultSet() throws SQLException {
        return wrap(ran.getResultSet());
    }

    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        lastKeys = RowlockResultSet.of(this, ran.getGeneratedKeys(), lastKeys);
        return lastKeys;
    }

    @Override
    public int getUpdateCount() throws SQLException {
        return ran.getUpdateCount();
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        return ran.getLargeUpdateCount();
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        return ran.getMoreResults();
    }

    @Override
    public boolean getMoreResults(int current) throws SQLException {
        return ran.getMoreResults(current);
    }

    @Override
    public SQLWarning getWarnings() throws SQLException {
        return ran.getWarnings();
    }

    @Override
    public void clearWarnings() throws SQLException {
        ran.clearWarnings();
    }
}
