package org.rowlock.jdbc.internal.wrap;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.group.GroupMember;
import org.rowlock.jdbc.internal.queue.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;

/** A prepared statement that goes to the server when it is its turn; keeps the values that may be a key. */
class RowlockPreparedStatement extends ForwardingPreparedStatement {
    private final RowlockConnection connection;
    private final PreparedStatement delegate;
    private final String sql;
    private StatementPlan plan;

    private final boolean frontable;

    /** What a group has made of it, if one has. */
    private GroupMember grouped;

    /** The lock and the statement, once they were sent so. */
    private PreparedStatement fronted;

    private Binds binds = Binds.NONE;
    private Binds firstOfBatch = Binds.NONE;
    private int batchSize;

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
        if (!binds.keeps() && frontable && plan != null && plan.frontable() >= 0 && connection.keeps(plan)) {
            binds.keep(plan.frontable());
        }
    }

    /** What is known of the text; null where nobody looks, and from the first time on when somebody does. */
    private StatementPlan plan() {
        if (plan == null) {
            plan = connection.plan(sql);
            binds = plan == null || plan.frontable() < 0 ? Binds.NONE : new Binds(plan.parameters());
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
        return execute(Execution.UPDATE, delegate::executeUpdate);
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return execute(Execution.LARGE_UPDATE, delegate::executeLargeUpdate);
    }

    /** The driver refuses another text, also the same one again. */
    @Override
    <T> Execution<T> ofText(Execution<T> execution) {
        return null;
    }

    /** Sends it, or has a group do it. */
    private <T> T execute(Execution<T> execution, Call<T> call) throws SQLException {
        grouped = null;
        StatementPlan known = plan();
        GroupMember member = binds.areKept() && batchSize == 0 && execution.fits(known)
                ? connection.turns().offer(known, delegate, binds::setAll)
                : null;
        T result = send(known, binds, execution, member, call);
        grouped = member != null && member.hasCount() ? member : null;
        return result;
    }

    @Override
    public int getUpdateCount() throws SQLException {
        int own = super.getUpdateCount();
        return grouped == null ? own : (int) grouped.count();
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        long own = super.getLargeUpdateCount();
        return grouped == null ? own : grouped.count();
    }

    @Override
    public SQLWarning getWarnings() throws SQLException {
        SQLWarning own = super.getWarnings();
        return grouped == null ? own : grouped.warnings();
    }

    @Override
    public void clearWarnings() throws SQLException {
        super.clearWarnings();
        if (grouped != null) {
            grouped.clearWarnings();
        }
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        grouped = null;
        return super.getMoreResults();
    }

    @Override
    public boolean getMoreResults(int current) throws SQLException {
        grouped = null;
        return super.getMoreResults(current);
    }

    @Override
    Statement sendInFront(StatementPlan known, Front lock) throws SQLException {
        if (!binds.areKept() || !isPlain()) {
            keepFromHere();
            return null;
        }
        if (fronted == null || fronted.isClosed()) {
            fronted = connection.prepare(FrontSql.SQL + ';' + sql);
        }
        int first = FrontSql.bind(fronted, 1, lock.isTimed(), lock.key(), frontMillis(lock), FrontSql.PART_OF_TIMEOUT);
        binds.setAll(fronted, first - 1);
        fronted.setQueryTimeout(delegate.getQueryTimeout());
        runs(fronted);
        fronted.execute();
        return fronted;
    }

    private void closeFronted() throws SQLException {
        PreparedStatement open = fronted;
        if (open != null) {
            fronted = null;
            open.close();
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            super.close();
        } finally {
            closeFronted();
        }
    }

    @Override
    Binds binds() {
        return binds;
    }

    @Override
    public void addBatch() throws SQLException {
        delegate.addBatch();
        if (batchSize++ == 0) {
            firstOfBatch = binds.copy();
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
        return sendBatch(plan(), firstOfBatch, size, call);
    }

    @Override
    public void clearParameters() throws SQLException {
        delegate.clearParameters();
        binds.clear();
    }
}
