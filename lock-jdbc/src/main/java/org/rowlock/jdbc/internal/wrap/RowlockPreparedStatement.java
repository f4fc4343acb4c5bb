package org.rowlock.jdbc.internal.wrap;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;

/** A prepared statement that goes to the server when it is its turn; keeps the values that may be a key. */
class RowlockPreparedStatement extends ForwardingPreparedStatement {
    private final RowlockConnection connection;
    private final PreparedStatement delegate;
    private final String sql;
    private StatementPlan plan;

    private final boolean frontable;

    /** The lock and the statement, once they were sent so, and whether with a savepoint. */
    private PreparedStatement fronted;

    private boolean frontedMarked;

    private Binds binds = Binds.NONE;

    /** What is in the batch, as long as all of it can be kept. */
    private List<Binds> batch = new ArrayList<>(0);

    RowlockPreparedStatement(RowlockConnection connection, PreparedStatement delegate, String sql) {
        this(connection, delegate, sql, false);
    }

    /** @param frontable whether it is what {@code prepareStatement(sql)} gives */
    RowlockPreparedStatement(RowlockConnection connection, PreparedStatement delegate, String sql, boolean frontable) {
        super(connection, delegate);
        this.connection = connection;
        this.delegate = delegate;
        this.sql = sql;
        this.frontable = frontable;
        plan();
        keepFromHere();
    }

    /** From the first time on that a lock was to go in front, or a group to do it, the values that are set are kept. */
    private void keepFromHere() {
        if (!binds.keeps() && frontable && plan != null && plan.parameters() >= 0 && connection.keeps(plan)) {
            binds.keep();
        }
    }

    /** What is known of the text; null where nobody looks, and from the first time on when somebody does. */
    private StatementPlan plan() {
        if (plan == null) {
            plan = connection.plan(sql);
            binds = plan == null || plan.parameters() < 0 ? Binds.NONE : new Binds(plan.parameters());
        }
        return plan;
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        return wrap(execute(Execution.QUERY, delegate::executeQuery));
    }

    @Override
    public boolean execute() throws SQLException {
        return execute(Execution.ANY, delegate::execute);
    }

    @Override
    public int executeUpdate() throws SQLException {
        return keep() ? 1 : execute(Execution.UPDATE, delegate::executeUpdate);
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return keep() ? 1 : execute(Execution.LARGE_UPDATE, delegate::executeLargeUpdate);
    }

    /** Keeps this execution for the COMMIT, if it can be. Its count is then one, or nothing is committed. */
    private boolean keep() throws SQLException {
        StatementPlan known = plan();
        boolean keeps = batchSize() == 0 && isKeepable(known);
        if (keeps) {
            connection.turns().keep(known, binds, delegate);
            kept();
        }
        return keeps;
    }

    private boolean isKeepable(StatementPlan known) throws SQLException {
        return binds.areKept()
                && connection.turns().keeps(known)
                && isPlain()
                && delegate.getQueryTimeout() == 0
                && mayBeKept();
    }

    private <T> T execute(Execution<T> execution, Call<T> call) throws SQLException {
        return send(plan(), binds, execution, call);
    }

    @Override
    Statement sendInFront(StatementPlan known, Front lock) throws SQLException {
        if (!binds.areKept() || !isPlain()) {
            keepFromHere();
            return null;
        }
        if (fronted == null || fronted.isClosed() || frontedMarked != isMarked()) {
            if (fronted != null) {
                fronted.close();
            }
            frontedMarked = isMarked();
            String text = FrontSql.inFrontOf(sql, recognised(known).row(), FrontSql.SQL, frontedMarked);
            fronted = connection.prepare(text);
        }
        int at = binds.set(fronted, 1, recognised(known).values());
        int first = FrontSql.bind(fronted, at, lock.isTimed(), lock.key(), frontMillis(lock), FrontSql.PART_OF_TIMEOUT);
        binds.setAll(fronted, first - 1);
        fronted.setQueryTimeout(delegate.getQueryTimeout());
        runs(fronted);
        fronted.execute();
        return fronted;
    }

    @Override
    public void close() throws SQLException {
        PreparedStatement open = fronted;
        try {
            super.close();
        } finally {
            if (open != null) {
                open.close();
            }
        }
    }

    @Override
    Binds binds() {
        return binds;
    }

    @Override
    public void addBatch() throws SQLException {
        delegate.addBatch();
        batched(plan(), binds);
        if (connection.turns().keeps() && batch.size() == batchSize() - 1 && isKeepable(plan())) {
            batch.add(binds.copy());
        }
    }

    /** Keeps the batch if all of it can be kept; the caller then gets no counts. */
    @Override
    int keepBatch() throws SQLException {
        List<Binds> all = batch;
        batch = new ArrayList<>(0);
        StatementPlan known = plan();
        if (all.isEmpty() || all.size() < batchSize() || !connection.turns().keeps(known)) {
            return 0;
        }
        delegate.clearBatch();
        for (Binds each : all) {
            connection.turns().keep(known, each, delegate);
        }
        kept();
        return all.size();
    }

    @Override
    public void clearBatch() throws SQLException {
        super.clearBatch();
        batch.clear();
    }

    @Override
    public void clearParameters() throws SQLException {
        delegate.clearParameters();
        binds.clear();
    }
}
