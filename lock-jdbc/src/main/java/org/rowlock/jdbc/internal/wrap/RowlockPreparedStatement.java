package org.rowlock.jdbc.internal.wrap;

import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLType;
import org.rowlock.jdbc.internal.turn.Binds;
import org.rowlock.jdbc.internal.turn.StatementPlan;

/** A prepared statement that goes to the server when it is its turn; keeps the values that may be a key. */
class RowlockPreparedStatement extends ForwardingPreparedStatement {
    private final RowlockConnection connection;
    private final PreparedStatement delegate;
    private final String sql;
    private StatementPlan plan;
    private Binds binds = Binds.NONE;
    private Binds firstOfBatch = Binds.NONE;
    private int batchSize;

    RowlockPreparedStatement(RowlockConnection connection, PreparedStatement delegate, String sql) {
        super(connection, delegate);
        this.connection = connection;
        this.delegate = delegate;
        this.sql = sql;
        plan();
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
        return wrap(send(plan(), binds, delegate::executeQuery));
    }

    @Override
    public boolean execute() throws SQLException {
        return send(plan(), binds, delegate::execute);
    }

    @Override
    public int executeUpdate() throws SQLException {
        return send(plan(), binds, delegate::executeUpdate);
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return send(plan(), binds, delegate::executeLargeUpdate);
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
        return size == 0 ? call.send() : sendBatch(plan(), firstOfBatch, size, call);
    }

    @Override
    public void clearParameters() throws SQLException {
        delegate.clearParameters();
        binds.clear();
    }

    @Override
    public void setByte(int parameterIndex, byte value) throws SQLException {
        delegate.setByte(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setShort(int parameterIndex, short value) throws SQLException {
        delegate.setShort(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setInt(int parameterIndex, int value) throws SQLException {
        delegate.setInt(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setLong(int parameterIndex, long value) throws SQLException {
        delegate.setLong(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setString(int parameterIndex, String value) throws SQLException {
        delegate.setString(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setNString(int parameterIndex, String value) throws SQLException {
        delegate.setNString(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setBigDecimal(int parameterIndex, BigDecimal value) throws SQLException {
        delegate.setBigDecimal(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setObject(int parameterIndex, Object value) throws SQLException {
        delegate.setObject(parameterIndex, value);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setObject(int parameterIndex, Object value, int sqlType) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setObject(int parameterIndex, Object value, int sqlType, int scaleOrLength) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType, scaleOrLength);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setObject(int parameterIndex, Object value, SQLType sqlType) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setObject(int parameterIndex, Object value, SQLType sqlType, int scaleOrLength) throws SQLException {
        delegate.setObject(parameterIndex, value, sqlType, scaleOrLength);
        binds.set(parameterIndex, value);
    }

    @Override
    public void setNull(int parameterIndex, int sqlType) throws SQLException {
        delegate.setNull(parameterIndex, sqlType);
        binds.set(parameterIndex, null);
    }

    @Override
    public void setNull(int parameterIndex, int sqlType, String typeName) throws SQLException {
        delegate.setNull(parameterIndex, sqlType, typeName);
        binds.set(parameterIndex, null);
    }
}
