package org.rowlock.jdbc.internal.wrap;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;

/** A prepared statement that hands every call to another. Subclasses change what they need. */
@SuppressWarnings("deprecation") // JDBC has them.
abstract class ForwardingPreparedStatement extends RowlockStatement implements PreparedStatement {
    private final PreparedStatement delegate;

    ForwardingPreparedStatement(RowlockConnection connection, PreparedStatement delegate) {
        super(connection, delegate);
        this.delegate = delegate;
    }

    /** A parameter is set to what only the delegate has. */
    abstract void forget(int parameterIndex);

    @Override
    public void addBatch() throws SQLException {
        delegate.addBatch();
    }

    @Override
    public void clearParameters() throws SQLException {
        delegate.clearParameters();
    }

    @Override
    public boolean execute() throws SQLException {
        return delegate.execute();
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return delegate.executeLargeUpdate();
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        return delegate.executeQuery();
    }

    @Override
    public int executeUpdate() throws SQLException {
        return delegate.executeUpdate();
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        return delegate.getMetaData();
    }

    @Override
    public ParameterMetaData getParameterMetaData() throws SQLException {
        return delegate.getParameterMetaData();
    }

    @Override
    public void setArray(int parameterIndex, Array value) throws SQLException {
        forget(parameterIndex);
        delegate.setArray(parameterIndex, value);
    }

    @Override
    public void setAsciiStream(int parameterIndex, InputStream value) throws SQLException {
        forget(parameterIndex);
        delegate.setAsciiStream(parameterIndex, value);
    }

    @Override
    public void setAsciiStream(int parameterIndex, InputStream value, int length) throws SQLException {
        forget(parameterIndex);
        delegate.setAsciiStream(parameterIndex, value, length);
    }

    @Override
    public void setAsciiStream(int parameterIndex, InputStream value, long length) throws SQLException {
        forget(parameterIndex);
        delegate.setAsciiStream(parameterIndex, value, length);
    }

    @Override
    public void setBigDecimal(int parameterIndex, BigDecimal value) throws SQLException {
        forget(parameterIndex);
        delegate.setBigDecimal(parameterIndex, value);
    }

    @Override
    public void setBinaryStream(int parameterIndex, InputStream value) throws SQLException {
        forget(parameterIndex);
        delegate.setBinaryStream(parameterIndex, value);
    }

    @Override
    public void setBinaryStream(int parameterIndex, InputStream value, int length) throws SQLException {
        forget(parameterIndex);
        delegate.setBinaryStream(parameterIndex, value, length);
    }

    @Override
    public void setBinaryStream(int parameterIndex, InputStream value, long length) throws SQLException {
        forget(parameterIndex);
        delegate.setBinaryStream(parameterIndex, value, length);
    }

    @Override
    public void setBlob(int parameterIndex, InputStream value) throws SQLException {
        forget(parameterIndex);
        delegate.setBlob(parameterIndex, value);
    }

    @Override
    public void setBlob(int parameterIndex, Blob value) throws SQLException {
        forget(parameterIndex);
        delegate.setBlob(parameterIndex, value);
    }

    @Override
    public void setBlob(int parameterIndex, InputStream value, long length) throws SQLException {
        forget(parameterIndex);
        delegate.setBlob(parameterIndex, value, length);
    }

    @Override
    public void setBoolean(int parameterIndex, boolean value) throws SQLException {
        forget(parameterIndex);
        delegate.setBoolean(parameterIndex, value);
    }

    @Override
    public void setByte(int parameterIndex, byte value) throws SQLException {
        forget(parameterIndex);
        delegate.setByte(parameterIndex, value);
    }

    @Override
    public void setBytes(int parameterIndex, byte[] value) throws SQLException {
        forget(parameterIndex);
        delegate.setBytes(parameterIndex, value);
    }

    @Override
    public void setCharacterStream(int parameterIndex, Reader value) throws SQLException {
        forget(parameterIndex);
        delegate.setCharacterStream(parameterIndex, value);
    }

    @Override
    public void setCharacterStream(int parameterIndex, Reader value, int length) throws SQLException {
        forget(parameterIndex);
        delegate.setCharacterStream(parameterIndex, value, length);
    }

    @Override
    public void setCharacterStream(int parameterIndex, Reader value, long length) throws SQLException {
        forget(parameterIndex);
        delegate.setCharacterStream(parameterIndex, value, length);
    }

    @Override
    public void setClob(int parameterIndex, Reader value) throws SQLException {
        forget(parameterIndex);
        delegate.setClob(parameterIndex, value);
    }

    @Override
    public void setClob(int parameterIndex, Clob value) throws SQLException {
        forget(parameterIndex);
        delegate.setClob(parameterIndex, value);
    }

    @Override
    public void setClob(int parameterIndex, Reader value, long length) throws SQLException {
        forget(parameterIndex);
        delegate.setClob(parameterIndex, value, length);
    }

    @Override
    public void setDate(int parameterIndex, Date value) throws SQLException {
        forget(parameterIndex);
        delegate.setDate(parameterIndex, value);
    }

    @Override
    public void setDate(int parameterIndex, Date value, Calendar calendar) throws SQLException {
        forget(parameterIndex);
        delegate.setDate(parameterIndex, value, calendar);
    }

    @Override
    public void setDouble(int parameterIndex, double value) throws SQLException {
        forget(parameterIndex);
        delegate.setDouble(parameterIndex, value);
    }

    @Override
    public void setFloat(int parameterIndex, float value) throws SQLException {
        forget(parameterIndex);
        delegate.setFloat(parameterIndex, value);
    }

    @Override
    public void setInt(int parameterIndex, int value) throws SQLException {
        forget(parameterIndex);
        delegate.setInt(parameterIndex, value);
    }

    @Override
    public void setLong(int parameterIndex, long value) throws SQLException {
        forget(parameterIndex);
        delegate.setLong(parameterIndex, value);
    }

    @Override
    public void setNCharacterStream(int parameterIndex, Reader value) throws SQLException {
        forget(parameterIndex);
        delegate.setNCharacterStream(parameterIndex, value);
    }

    @Override
    public void setNCharacterStream(int parameterIndex, Reader value, long length) throws SQLException {
        forget(parameterIndex);
        delegate.setNCharacterStream(parameterIndex, value, length);
    }

    @Override
    public void setNClob(int parameterIndex, Reader value) throws SQLException {
        forget(parameterIndex);
        delegate.setNClob(parameterIndex, value);
    }

    @Override
    public void setNClob(int parameterIndex, NClob value) throws SQLException {
        forget(parameterIndex);
        delegate.setNClob(parameterIndex, value);
    }

    @Override
    public void setNClob(int parameterIndex, Reader value, long length) throws SQLException {
        forget(parameterIndex);
        delegate.setNClob(parameterIndex, value, length);
    }

    @Override
    public void setNString(int parameterIndex, String value) throws SQLException {
        forget(parameterIndex);
        delegate.setNString(parameterIndex, value);
    }

    @Override
    public void setNull(int parameterIndex, int sqlType) throws SQLException {
        forget(parameterIndex);
        delegate.setNull(parameterIndex, sqlType);
    }

    @Override
    public void setNull(int parameterIndex, int sqlType, String typeName) throws SQLException {
        forget(parameterIndex);
        delegate.setNull(parameterIndex, sqlType, typeName);
    }

    @Override
    public void setObject(int parameterIndex, Object value) throws SQLException {
        forget(parameterIndex);
        delegate.setObject(parameterIndex, value);
    }

    @Override
    public void setObject(int parameterIndex, Object value, int sqlType) throws SQLException {
        forget(parameterIndex);
        delegate.setObject(parameterIndex, value, sqlType);
    }

    @Override
    public void setObject(int parameterIndex, Object value, SQLType sqlType) throws SQLException {
        forget(parameterIndex);
        delegate.setObject(parameterIndex, value, sqlType);
    }

    @Override
    public void setObject(int parameterIndex, Object value, int sqlType, int scaleOrLength) throws SQLException {
        forget(parameterIndex);
        delegate.setObject(parameterIndex, value, sqlType, scaleOrLength);
    }

    @Override
    public void setObject(int parameterIndex, Object value, SQLType sqlType, int scaleOrLength) throws SQLException {
        forget(parameterIndex);
        delegate.setObject(parameterIndex, value, sqlType, scaleOrLength);
    }

    @Override
    public void setRef(int parameterIndex, Ref value) throws SQLException {
        forget(parameterIndex);
        delegate.setRef(parameterIndex, value);
    }

    @Override
    public void setRowId(int parameterIndex, RowId value) throws SQLException {
        forget(parameterIndex);
        delegate.setRowId(parameterIndex, value);
    }

    @Override
    public void setSQLXML(int parameterIndex, SQLXML value) throws SQLException {
        forget(parameterIndex);
        delegate.setSQLXML(parameterIndex, value);
    }

    @Override
    public void setShort(int parameterIndex, short value) throws SQLException {
        forget(parameterIndex);
        delegate.setShort(parameterIndex, value);
    }

    @Override
    public void setString(int parameterIndex, String value) throws SQLException {
        forget(parameterIndex);
        delegate.setString(parameterIndex, value);
    }

    @Override
    public void setTime(int parameterIndex, Time value) throws SQLException {
        forget(parameterIndex);
        delegate.setTime(parameterIndex, value);
    }

    @Override
    public void setTime(int parameterIndex, Time value, Calendar calendar) throws SQLException {
        forget(parameterIndex);
        delegate.setTime(parameterIndex, value, calendar);
    }

    @Override
    public void setTimestamp(int parameterIndex, Timestamp value) throws SQLException {
        forget(parameterIndex);
        delegate.setTimestamp(parameterIndex, value);
    }

    @Override
    public void setTimestamp(int parameterIndex, Timestamp value, Calendar calendar) throws SQLException {
        forget(parameterIndex);
        delegate.setTimestamp(parameterIndex, value, calendar);
    }

    @Override
    public void setURL(int parameterIndex, URL value) throws SQLException {
        forget(parameterIndex);
        delegate.setURL(parameterIndex, value);
    }

    @Override
    public void setUnicodeStream(int parameterIndex, InputStream value, int length) throws SQLException {
        forget(parameterIndex);
        delegate.setUnicodeStream(parameterIndex, value, length);
    }
}
