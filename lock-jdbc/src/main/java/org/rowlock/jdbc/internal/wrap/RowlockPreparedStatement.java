package org.rowlock.jdbc.internal.wrap;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.StatementMember;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.WaiterSql;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.queue.Turn;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;

/**
 * A prepared statement that may have to wait in the JVM before Rowlock sends it to the server. The statement records
 * the values that may belong to a key.
 */
class RowlockPreparedStatement extends ForwardingPreparedStatement {
    private final String sql;

    /** Whether the statement may have a front lock: {@code prepareStatement(sql)} has created the statement. */
    private boolean frontable;

    private @Nullable StatementPlan plan;

    /** The prepared statement that contains the front lock and this statement's text; null until it is first needed. */
    private @Nullable PreparedStatement fronted;

    /** Whether {@link #fronted} contains a savepoint. */
    private boolean marked;

    private Binds binds = Binds.NONE;

    /** The values of each execution of the batch, as long as Rowlock can keep every execution. */
    private List<Binds> batch = new ArrayList<>(0);

    RowlockPreparedStatement(RowlockConnection connection, PreparedStatement delegate, String sql, boolean frontable) {
        super(connection, delegate);
        this.sql = sql;
        this.frontable = frontable;
        plan();
    }

    /** Returns the plan of the statement. The plan is null until the first call in a mode other than {@code off}. */
    private @Nullable StatementPlan plan() {
        if (plan == null) {
            plan = connection.plan(sql);
            // The values of an INSERT are needed only if Rowlock may keep its executions.
            if (plan != null && (plan.shape().isRecognised() || connection.turns.keeps())) {
                binds = new Binds(Math.max(0, plan.shape().parameters()), frontable);
            }
        }
        return plan;
    }

    @Override
    public @Nullable ResultSet executeQuery() throws SQLException {
        return wrap(execute(true, false, delegate::executeQuery, Statement::getResultSet));
    }

    @Override
    public boolean execute() throws SQLException {
        return execute(true, true, delegate::execute, sent -> sent.getUpdateCount() < 0);
    }

    @Override
    public int executeUpdate() throws SQLException {
        return keep() ? 1 : execute(false, true, delegate::executeUpdate, Statement::getUpdateCount);
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return keep() ? 1 : execute(false, true, delegate::executeLargeUpdate, Statement::getLargeUpdateCount);
    }

    /**
     * Sends another SQL text. If that text fails, the driver may return the next result as generated keys. Rowlock
     * therefore sends all later executions unchanged.
     */
    @Override
    protected <T> T send(String text, Call<T> call) throws SQLException {
        frontable = false;
        binds = Binds.NONE;
        return super.send(text, call);
    }

    /**
     * Keeps this execution for the COMMIT if possible, and returns whether it was kept. If so, the caller may return a
     * count of 1, because the COMMIT fails if the execution does not change exactly one row.
     */
    private boolean keep() throws SQLException {
        StatementPlan known = plan();
        if (known == null || batchSize != 0 || !isKeepable(known)) {
            return false;
        }
        connection.turns.keep(known, binds, delegate);
        ranUnsent(1, null);
        return true;
    }

    private boolean isKeepable(StatementPlan known) throws SQLException {
        return binds.areKept()
                && connection.turns.keeps(known)
                && Turn.isPlain(delegate)
                && delegate.getQueryTimeout() == 0;
    }

    private interface Reader<T> {
        T read(Statement sent) throws SQLException;
    }

    /**
     * Waits until the statement may go to the server, and then sends it: with a front lock, in a group, or alone.
     *
     * @param rows whether the method accepts statements that return rows
     * @param counts whether the method accepts statements that return an update count
     */
    private <T> T execute(boolean rows, boolean counts, Call<T> call, Reader<T> reader) throws SQLException {
        StatementPlan known = plan();
        // Whether Rowlock may run the statement with a front lock or in a group, and supply the result of the method.
        boolean isWhole = binds.areKept()
                && batchSize == 0
                && known != null
                && (known.shape().returnsRows() ? rows : counts);
        cancelled = false;
        Turn turn = connection.turns.enter(known, binds, delegate, isWhole);
        return send(turn, () -> {
            Statement sent = turn == null || known == null ? null : sendInFront(known, turn);
            if (sent == null) {
                runs(delegate);
                StatementMember.Result result = turn == null ? null : turn.grouped();
                sent = result == null ? null : ranUnsent(result.count(), result.warnings());
            }
            // Between an attempt with a front lock or in a group and the next one, a cancel does nothing at the driver.
            if (sent == null && turn != null && cancelled) {
                throw turn.access().canceled();
            }
            return sent == null ? call.send() : reader.read(sent);
        });
    }

    /**
     * Sends the statement with its front lock. Returns null if the caller must send the statement without a front lock:
     * there is none, or the wait for the front lock was too long.
     */
    private @Nullable Statement sendInFront(StatementPlan known, Turn turn) throws SQLException {
        Front lock = turn.front();
        if (lock == null) {
            return null;
        }
        long start = System.nanoTime();
        PreparedStatement both;
        try {
            both = prepareInFront(known, turn);
            turn.bind(lock, both, binds, delegate.getQueryTimeout());
            runs(both);
            both.execute();
        } catch (SQLException e) {
            if (!turn.givesUpFront(e, System.nanoTime() - start)) {
                throw e;
            }
            return null;
        }
        known.figures().count(Figure.FRONTED);
        // The first results of the flush belong to the front lock, and are read before the result of the statement.
        lock.answered(FrontSql.waitedNanos(both, marked));
        return both;
    }

    private PreparedStatement prepareInFront(StatementPlan known, Turn turn) throws SQLException {
        PreparedStatement both = fronted;
        boolean hasSavepoint = !connection.getAutoCommit();
        if (both == null || both.isClosed() || marked != hasSavepoint) {
            if (both != null) {
                both.close();
            }
            marked = hasSavepoint;
            String text = FrontSql.inFrontOf(known.sent(), known.shape().row(), hasSavepoint);
            both = turn.access().connection().prepareStatement(text);
            turn.access().session().prepareAtOnce(both);
            fronted = both;
        }
        return both;
    }

    @Override
    public void close() throws SQLException {
        PreparedStatement open = fronted;
        try (open) {
            super.close();
        }
    }

    @Override
    Binds binds() {
        return binds;
    }

    @Override
    public void addBatch() throws SQLException {
        delegate.addBatch();
        StatementPlan known = plan();
        batched(known, binds);
        if (known != null && connection.turns.keeps() && batch.size() == batchSize - 1 && isKeepable(known)) {
            batch.add(binds.copy());
        }
    }

    /** Keeps the batch if Rowlock can keep every execution of the batch. The application then gets no counts. */
    @Override
    boolean keepBatch() throws SQLException {
        List<Binds> all = batch;
        batch = new ArrayList<>(0);
        StatementPlan known = plan();
        // After addBatch() the application may have closed the statement, or set a timeout.
        if (known == null || all.isEmpty() || all.size() < batchSize || !isKeepable(known)) {
            return false;
        }
        delegate.clearBatch();
        for (Binds each : all) {
            connection.turns.keep(known, each, delegate);
        }
        ranUnsent(-1, null);
        return true;
    }

    @Override
    public void clearBatch() throws SQLException {
        super.clearBatch();
        batch.clear();
    }

    @Override
    public String toString() {
        return WaiterSql.uncommented(super.toString());
    }

    @Override
    public void clearParameters() throws SQLException {
        // A pool that caches the statement lends it again, perhaps while a thread of its last borrower still waits.
        boolean unused = cancelWait();
        delegate.clearParameters();
        binds.clear();
    }
}
