package org.rowlock.jdbc.internal.wrap;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.function.Function;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.internal.group.GroupMember;
import org.rowlock.jdbc.internal.turn.Binds;
import org.rowlock.jdbc.internal.turn.StatementPlan;
import org.rowlock.jdbc.internal.turn.Turns;

/** A prepared statement that goes to the server when it is its turn; keeps the values that may be a key. */
class RowlockPreparedStatement extends ForwardingPreparedStatement {
    private final RowlockConnection connection;
    private final PreparedStatement delegate;
    private final String sql;
    private StatementPlan plan;

    private final boolean frontable;

    /** Null while no lock goes in front, and it is of no group. */
    private KeptParameters kept;

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

    /** From the first time on that a lock was to go in front, the values that are set are kept. */
    private void keepFromHere() {
        if (kept == null && frontable && plan != null && plan.frontable() >= 0 && connection.keeps(plan)) {
            kept = new KeptParameters(plan.frontable());
        }
    }

    /** What is known of the text; null where nobody looks, and from the first time on when somebody does. */
    private StatementPlan plan() {
        if (plan == null) {
            plan = connection.plan(sql);
            binds = plan == null ? Binds.NONE : Binds.of(plan.parameters());
        }
        return plan;
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        return wrap(send(plan(), binds, delegate::executeQuery, this::sendInFront, rows(plan)));
    }

    @Override
    public boolean execute() throws SQLException {
        return send(delegate::execute, statement -> plan.returnsRows(), member -> false);
    }

    @Override
    public int executeUpdate() throws SQLException {
        return send(delegate::executeUpdate, count(plan(), Statement::getUpdateCount), member -> (int) member.count());
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return send(delegate::executeLargeUpdate, count(plan(), Statement::getLargeUpdateCount), GroupMember::count);
    }

    /** Sends it, or has a group do it. */
    private <T> T send(Call<T> call, Answer<T> reader, Function<GroupMember, T> ofGroup) throws SQLException {
        grouped = null;
        GroupMember member = kept == null || !kept.areComplete() || batchSize > 0
                ? null
                : connection.turns().offer(plan(), sql, delegate, kept::setAll);
        Call<T> sent = member == null
                ? call
                : () -> {
                    if (!member.isDone()) {
                        return call.send();
                    }
                    grouped = member;
                    return ofGroup.apply(member);
                };
        return send(plan(), binds, sent, this::sendInFront, reader);
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

    private Statement sendInFront(Front lock) throws SQLException {
        if (kept == null || !kept.areComplete() || !isPlain()) {
            keepFromHere();
            return null;
        }
        if (fronted == null || fronted.isClosed()) {
            fronted = connection.prepare(FrontSql.SQL + ';' + sql);
        }
        int millis = Turns.frontMillis(lock, delegate);
        int first = FrontSql.bind(fronted, 1, lock.isTimed(), lock.key(), millis, FrontSql.PART_OF_TIMEOUT);
        kept.setAll(fronted, first - 1);
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
    void forget(int parameterIndex) {
        binds.set(parameterIndex, null);
        keep(parameterIndex, null);
    }

    private void keep(int parameterIndex, KeptParameters.Setter setter) {
        if (kept != null) {
            kept.keep(parameterIndex, setter);
        }
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
        if (kept != null) {
            kept.clear();
        }
    }

    @Override
    public void setByte(int parameterIndex, byte value) throws SQLException {
        delegate.setByte(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setByte(at, value));
    }

    @Override
    public void setShort(int parameterIndex, short value) throws SQLException {
        delegate.setShort(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setShort(at, value));
    }

    @Override
    public void setInt(int parameterIndex, int value) throws SQLException {
        delegate.setInt(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setInt(at, value));
    }

    @Override
    public void setLong(int parameterIndex, long value) throws SQLException {
        delegate.setLong(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setLong(at, value));
    }

    @Override
    public void setString(int parameterIndex, String value) throws SQLException {
        delegate.setString(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setString(at, value));
    }

    @Override
    public void setNString(int parameterIndex, String value) throws SQLException {
        delegate.setNString(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setNString(at, value));
    }

    @Override
    public void setBigDecimal(int parameterIndex, BigDecimal value) throws SQLException {
        delegate.setBigDecimal(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setBigDecimal(at, value));
    }

    @Override
    public void setObject(int parameterIndex, Object value) throws SQLException {
        delegate.setObject(parameterIndex, value);
        binds.set(parameterIndex, value);
        keep(
                parameterIndex,
                kept != null && KeptParameters.isConstant(value)
                        ? (statement, at) -> statement.setObject(at, value)
                        : null);
    }

    @Override
    public void setObject(int parameterIndex, Object value, int sqlType) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType);
        binds.set(parameterIndex, value);
        keep(
                parameterIndex,
                kept != null && KeptParameters.isConstant(value)
                        ? (statement, at) -> statement.setObject(at, value, sqlType)
                        : null);
    }

    @Override
    public void setObject(int parameterIndex, Object value, int sqlType, int scaleOrLength) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType, scaleOrLength);
        binds.set(parameterIndex, value);
        keep(
                parameterIndex,
                kept != null && KeptParameters.isConstant(value)
                        ? (statement, at) -> statement.setObject(at, value, sqlType, scaleOrLength)
                        : null);
    }

    @Override
    public void setObject(int parameterIndex, Object value, SQLType sqlType) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType);
        binds.set(parameterIndex, value);
        keep(
                parameterIndex,
                kept != null && KeptParameters.isConstant(value)
                        ? (statement, at) -> statement.setObject(at, value, sqlType)
                        : null);
    }

    @Override
    public void setObject(int parameterIndex, Object value, SQLType sqlType, int scaleOrLength) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType, scaleOrLength);
        binds.set(parameterIndex, value);
        keep(
                parameterIndex,
                kept != null && KeptParameters.isConstant(value)
                        ? (statement, at) -> statement.setObject(at, value, sqlType, scaleOrLength)
                        : null);
    }

    @Override
    public void setNull(int parameterIndex, int sqlType) throws SQLException {
        delegate.setNull(parameterIndex, sqlType);
        binds.set(parameterIndex, null);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setNull(at, sqlType));
    }

    @Override
    public void setNull(int parameterIndex, int sqlType, String typeName) throws SQLException {
        delegate.setNull(parameterIndex, sqlType, typeName);
        binds.set(parameterIndex, null);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setNull(at, sqlType, typeName));
    }

    @Override
    public void setBoolean(int parameterIndex, boolean value) throws SQLException {
        delegate.setBoolean(parameterIndex, value);
        binds.set(parameterIndex, null);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setBoolean(at, value));
    }

    @Override
    public void setFloat(int parameterIndex, float value) throws SQLException {
        delegate.setFloat(parameterIndex, value);
        binds.set(parameterIndex, null);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setFloat(at, value));
    }

    @Override
    public void setDouble(int parameterIndex, double value) throws SQLException {
        delegate.setDouble(parameterIndex, value);
        binds.set(parameterIndex, null);
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setDouble(at, value));
    }

    @Override
    public void setDate(int parameterIndex, Date value) throws SQLException {
        delegate.setDate(parameterIndex, value);
        binds.set(parameterIndex, null);
        Date copy = kept == null || value == null ? null : (Date) value.clone();
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setDate(at, copy));
    }

    @Override
    public void setTime(int parameterIndex, Time value) throws SQLException {
        delegate.setTime(parameterIndex, value);
        binds.set(parameterIndex, null);
        Time copy = kept == null || value == null ? null : (Time) value.clone();
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setTime(at, copy));
    }

    @Override
    public void setTimestamp(int parameterIndex, Timestamp value) throws SQLException {
        delegate.setTimestamp(parameterIndex, value);
        binds.set(parameterIndex, null);
        Timestamp copy = kept == null || value == null ? null : (Timestamp) value.clone();
        keep(parameterIndex, kept == null ? null : (statement, at) -> statement.setTimestamp(at, copy));
    }
}
