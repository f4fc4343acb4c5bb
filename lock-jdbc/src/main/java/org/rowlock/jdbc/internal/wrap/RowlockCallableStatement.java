package org.rowlock.jdbc.internal.wrap;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;

/** A call, which is handed on as it is: what it locks nobody knows. */
@SuppressWarnings("deprecation") // JDBC has them.
final class RowlockCallableStatement extends RowlockPreparedStatement implements CallableStatement {
    private final CallableStatement delegate;

    RowlockCallableStatement(RowlockConnection connection, CallableStatement delegate, String sql) {
        super(connection, delegate, sql);
        this.delegate = delegate;
    }

    @Override
    public Array getArray(String parameterName) throws SQLException {
        return delegate.getArray(parameterName);
    }

    @Override
    public Array getArray(int parameterIndex) throws SQLException {
        return delegate.getArray(parameterIndex);
    }

    @Override
    public BigDecimal getBigDecimal(String parameterName) throws SQLException {
        return delegate.getBigDecimal(parameterName);
    }

    @Override
    public BigDecimal getBigDecimal(int parameterIndex) throws SQLException {
        return delegate.getBigDecimal(parameterIndex);
    }

    @Override
    public BigDecimal getBigDecimal(int parameterIndex, int value) throws SQLException {
        return delegate.getBigDecimal(parameterIndex, value);
    }

    @Override
    public Blob getBlob(String parameterName) throws SQLException {
        return delegate.getBlob(parameterName);
    }

    @Override
    public Blob getBlob(int parameterIndex) throws SQLException {
        return delegate.getBlob(parameterIndex);
    }

    @Override
    public boolean getBoolean(String parameterName) throws SQLException {
        return delegate.getBoolean(parameterName);
    }

    @Override
    public boolean getBoolean(int parameterIndex) throws SQLException {
        return delegate.getBoolean(parameterIndex);
    }

    @Override
    public byte getByte(String parameterName) throws SQLException {
        return delegate.getByte(parameterName);
    }

    @Override
    public byte getByte(int parameterIndex) throws SQLException {
        return delegate.getByte(parameterIndex);
    }

    @Override
    public byte[] getBytes(String parameterName) throws SQLException {
        return delegate.getBytes(parameterName);
    }

    @Override
    public byte[] getBytes(int parameterIndex) throws SQLException {
        return delegate.getBytes(parameterIndex);
    }

    @Override
    public Reader getCharacterStream(String parameterName) throws SQLException {
        return delegate.getCharacterStream(parameterName);
    }

    @Override
    public Reader getCharacterStream(int parameterIndex) throws SQLException {
        return delegate.getCharacterStream(parameterIndex);
    }

    @Override
    public Clob getClob(String parameterName) throws SQLException {
        return delegate.getClob(parameterName);
    }

    @Override
    public Clob getClob(int parameterIndex) throws SQLException {
        return delegate.getClob(parameterIndex);
    }

    @Override
    public Date getDate(String parameterName) throws SQLException {
        return delegate.getDate(parameterName);
    }

    @Override
    public Date getDate(int parameterIndex) throws SQLException {
        return delegate.getDate(parameterIndex);
    }

    @Override
    public Date getDate(String parameterName, Calendar calendar) throws SQLException {
        return delegate.getDate(parameterName, calendar);
    }

    @Override
    public Date getDate(int parameterIndex, Calendar calendar) throws SQLException {
        return delegate.getDate(parameterIndex, calendar);
    }

    @Override
    public double getDouble(String parameterName) throws SQLException {
        return delegate.getDouble(parameterName);
    }

    @Override
    public double getDouble(int parameterIndex) throws SQLException {
        return delegate.getDouble(parameterIndex);
    }

    @Override
    public float getFloat(String parameterName) throws SQLException {
        return delegate.getFloat(parameterName);
    }

    @Override
    public float getFloat(int parameterIndex) throws SQLException {
        return delegate.getFloat(parameterIndex);
    }

    @Override
    public int getInt(String parameterName) throws SQLException {
        return delegate.getInt(parameterName);
    }

    @Override
    public int getInt(int parameterIndex) throws SQLException {
        return delegate.getInt(parameterIndex);
    }

    @Override
    public long getLong(String parameterName) throws SQLException {
        return delegate.getLong(parameterName);
    }

    @Override
    public long getLong(int parameterIndex) throws SQLException {
        return delegate.getLong(parameterIndex);
    }

    @Override
    public Reader getNCharacterStream(String parameterName) throws SQLException {
        return delegate.getNCharacterStream(parameterName);
    }

    @Override
    public Reader getNCharacterStream(int parameterIndex) throws SQLException {
        return delegate.getNCharacterStream(parameterIndex);
    }

    @Override
    public NClob getNClob(String parameterName) throws SQLException {
        return delegate.getNClob(parameterName);
    }

    @Override
    public NClob getNClob(int parameterIndex) throws SQLException {
        return delegate.getNClob(parameterIndex);
    }

    @Override
    public String getNString(String parameterName) throws SQLException {
        return delegate.getNString(parameterName);
    }

    @Override
    public String getNString(int parameterIndex) throws SQLException {
        return delegate.getNString(parameterIndex);
    }

    @Override
    public Object getObject(String parameterName) throws SQLException {
        return delegate.getObject(parameterName);
    }

    @Override
    public Object getObject(int parameterIndex) throws SQLException {
        return delegate.getObject(parameterIndex);
    }

    @Override
    public <T> T getObject(String parameterName, Class<T> type) throws SQLException {
        return delegate.getObject(parameterName, type);
    }

    @Override
    public Object getObject(String parameterName, Map<String, Class<?>> map) throws SQLException {
        return delegate.getObject(parameterName, map);
    }

    @Override
    public <T> T getObject(int parameterIndex, Class<T> type) throws SQLException {
        return delegate.getObject(parameterIndex, type);
    }

    @Override
    public Object getObject(int parameterIndex, Map<String, Class<?>> map) throws SQLException {
        return delegate.getObject(parameterIndex, map);
    }

    @Override
    public Ref getRef(String parameterName) throws SQLException {
        return delegate.getRef(parameterName);
    }

    @Override
    public Ref getRef(int parameterIndex) throws SQLException {
        return delegate.getRef(parameterIndex);
    }

    @Override
    public RowId getRowId(String parameterName) throws SQLException {
        return delegate.getRowId(parameterName);
    }

    @Override
    public RowId getRowId(int parameterIndex) throws SQLException {
        return delegate.getRowId(parameterIndex);
    }

    @Override
    public SQLXML getSQLXML(String parameterName) throws SQLException {
        return delegate.getSQLXML(parameterName);
    }

    @Override
    public SQLXML getSQLXML(int parameterIndex) throws SQLException {
        return delegate.getSQLXML(parameterIndex);
    }

    @Override
    public short getShort(String parameterName) throws SQLException {
        return delegate.getShort(parameterName);
    }

    @Override
    public short getShort(int parameterIndex) throws SQLException {
        return delegate.getShort(parameterIndex);
    }

    @Override
    public String getString(String parameterName) throws SQLException {
        return delegate.getString(parameterName);
    }

    @Override
    public String getString(int parameterIndex) throws SQLException {
        return delegate.getString(parameterIndex);
    }

    @Override
    public Time getTime(String parameterName) throws SQLException {
        return delegate.getTime(parameterName);
    }

    @Override
    public Time getTime(int parameterIndex) throws SQLException {
        return delegate.getTime(parameterIndex);
    }

    @Override
    public Time getTime(String parameterName, Calendar calendar) throws SQLException {
        return delegate.getTime(parameterName, calendar);
    }

    @Override
    public Time getTime(int parameterIndex, Calendar calendar) throws SQLException {
        return delegate.getTime(parameterIndex, calendar);
    }

    @Override
    public Timestamp getTimestamp(String parameterName) throws SQLException {
        return delegate.getTimestamp(parameterName);
    }

    @Override
    public Timestamp getTimestamp(int parameterIndex) throws SQLException {
        return delegate.getTimestamp(parameterIndex);
    }

    @Override
    public Timestamp getTimestamp(String parameterName, Calendar calendar) throws SQLException {
        return delegate.getTimestamp(parameterName, calendar);
    }

    @Override
    public Timestamp getTimestamp(int parameterIndex, Calendar calendar) throws SQLException {
        return delegate.getTimestamp(parameterIndex, calendar);
    }

    @Override
    public URL getURL(String parameterName) throws SQLException {
        return delegate.getURL(parameterName);
    }

    @Override
    public URL getURL(int parameterIndex) throws SQLException {
        return delegate.getURL(parameterIndex);
    }

    @Override
    public void registerOutParameter(String parameterName, int sqlType) throws SQLException {
        delegate.registerOutParameter(parameterName, sqlType);
    }

    @Override
    public void registerOutParameter(String parameterName, SQLType sqlType) throws SQLException {
        delegate.registerOutParameter(parameterName, sqlType);
    }

    @Override
    public void registerOutParameter(int parameterIndex, int sqlType) throws SQLException {
        delegate.registerOutParameter(parameterIndex, sqlType);
    }

    @Override
    public void registerOutParameter(int parameterIndex, SQLType sqlType) throws SQLException {
        delegate.registerOutParameter(parameterIndex, sqlType);
    }

    @Override
    public void registerOutParameter(String parameterName, int sqlType, String typeName) throws SQLException {
        delegate.registerOutParameter(parameterName, sqlType, typeName);
    }

    @Override
    public void registerOutParameter(String parameterName, int sqlType, int scale) throws SQLException {
        delegate.registerOutParameter(parameterName, sqlType, scale);
    }

    @Override
    public void registerOutParameter(String parameterName, SQLType sqlType, String typeName) throws SQLException {
        delegate.registerOutParameter(parameterName, sqlType, typeName);
    }

    @Override
    public void registerOutParameter(String parameterName, SQLType sqlType, int scale) throws SQLException {
        delegate.registerOutParameter(parameterName, sqlType, scale);
    }

    @Override
    public void registerOutParameter(int parameterIndex, int sqlType, String typeName) throws SQLException {
        delegate.registerOutParameter(parameterIndex, sqlType, typeName);
    }

    @Override
    public void registerOutParameter(int parameterIndex, int sqlType, int scale) throws SQLException {
        delegate.registerOutParameter(parameterIndex, sqlType, scale);
    }

    @Override
    public void registerOutParameter(int parameterIndex, SQLType sqlType, String typeName) throws SQLException {
        delegate.registerOutParameter(parameterIndex, sqlType, typeName);
    }

    @Override
    public void registerOutParameter(int parameterIndex, SQLType sqlType, int scale) throws SQLException {
        delegate.registerOutParameter(parameterIndex, sqlType, scale);
    }

    @Override
    public void setAsciiStream(String parameterName, InputStream value) throws SQLException {
        delegate.setAsciiStream(parameterName, value);
    }

    @Override
    public void setAsciiStream(String parameterName, InputStream value, int length) throws SQLException {
        delegate.setAsciiStream(parameterName, value, length);
    }

    @Override
    public void setAsciiStream(String parameterName, InputStream value, long length) throws SQLException {
        delegate.setAsciiStream(parameterName, value, length);
    }

    @Override
    public void setBigDecimal(String parameterName, BigDecimal value) throws SQLException {
        delegate.setBigDecimal(parameterName, value);
    }

    @Override
    public void setBinaryStream(String parameterName, InputStream value) throws SQLException {
        delegate.setBinaryStream(parameterName, value);
    }

    @Override
    public void setBinaryStream(String parameterName, InputStream value, int length) throws SQLException {
        delegate.setBinaryStream(parameterName, value, length);
    }

    @Override
    public void setBinaryStream(String parameterName, InputStream value, long length) throws SQLException {
        delegate.setBinaryStream(parameterName, value, length);
    }

    @Override
    public void setBlob(String parameterName, InputStream value) throws SQLException {
        delegate.setBlob(parameterName, value);
    }

    @Override
    public void setBlob(String parameterName, Blob value) throws SQLException {
        delegate.setBlob(parameterName, value);
    }

    @Override
    public void setBlob(String parameterName, InputStream value, long length) throws SQLException {
        delegate.setBlob(parameterName, value, length);
    }

    @Override
    public void setBoolean(String parameterName, boolean value) throws SQLException {
        delegate.setBoolean(parameterName, value);
    }

    @Override
    public void setByte(String parameterName, byte value) throws SQLException {
        delegate.setByte(parameterName, value);
    }

    @Override
    public void setBytes(String parameterName, byte[] value) throws SQLException {
        delegate.setBytes(parameterName, value);
    }

    @Override
    public void setCharacterStream(String parameterName, Reader value) throws SQLException {
        delegate.setCharacterStream(parameterName, value);
    }

    @Override
    public void setCharacterStream(String parameterName, Reader value, int length) throws SQLException {
        delegate.setCharacterStream(parameterName, value, length);
    }

    @Override
    public void setCharacterStream(String parameterName, Reader value, long length) throws SQLException {
        delegate.setCharacterStream(parameterName, value, length);
    }

    @Override
    public void setClob(String parameterName, Reader value) throws SQLException {
        delegate.setClob(parameterName, value);
    }

    @Override
    public void setClob(String parameterName, Clob value) throws SQLException {
        delegate.setClob(parameterName, value);
    }

    @Override
    public void setClob(String parameterName, Reader value, long length) throws SQLException {
        delegate.setClob(parameterName, value, length);
    }

    @Override
    public void setDate(String parameterName, Date value) throws SQLException {
        delegate.setDate(parameterName, value);
    }

    @Override
    public void setDate(String parameterName, Date value, Calendar calendar) throws SQLException {
        delegate.setDate(parameterName, value, calendar);
    }

    @Override
    public void setDouble(String parameterName, double value) throws SQLException {
        delegate.setDouble(parameterName, value);
    }

    @Override
    public void setFloat(String parameterName, float value) throws SQLException {
        delegate.setFloat(parameterName, value);
    }

    @Override
    public void setInt(String parameterName, int value) throws SQLException {
        delegate.setInt(parameterName, value);
    }

    @Override
    public void setLong(String parameterName, long value) throws SQLException {
        delegate.setLong(parameterName, value);
    }

    @Override
    public void setNCharacterStream(String parameterName, Reader value) throws SQLException {
        delegate.setNCharacterStream(parameterName, value);
    }

    @Override
    public void setNCharacterStream(String parameterName, Reader value, long length) throws SQLException {
        delegate.setNCharacterStream(parameterName, value, length);
    }

    @Override
    public void setNClob(String parameterName, Reader value) throws SQLException {
        delegate.setNClob(parameterName, value);
    }

    @Override
    public void setNClob(String parameterName, NClob value) throws SQLException {
        delegate.setNClob(parameterName, value);
    }

    @Override
    public void setNClob(String parameterName, Reader value, long length) throws SQLException {
        delegate.setNClob(parameterName, value, length);
    }

    @Override
    public void setNString(String parameterName, String value) throws SQLException {
        delegate.setNString(parameterName, value);
    }

    @Override
    public void setNull(String parameterName, int sqlType) throws SQLException {
        delegate.setNull(parameterName, sqlType);
    }

    @Override
    public void setNull(String parameterName, int sqlType, String typeName) throws SQLException {
        delegate.setNull(parameterName, sqlType, typeName);
    }

    @Override
    public void setObject(String parameterName, Object value) throws SQLException {
        delegate.setObject(parameterName, value);
    }

    @Override
    public void setObject(String parameterName, Object value, int sqlType) throws SQLException {
        delegate.setObject(parameterName, value, sqlType);
    }

    @Override
    public void setObject(String parameterName, Object value, SQLType sqlType) throws SQLException {
        delegate.setObject(parameterName, value, sqlType);
    }

    @Override
    public void setObject(String parameterName, Object value, int sqlType, int scaleOrLength) throws SQLException {
        delegate.setObject(parameterName, value, sqlType, scaleOrLength);
    }

    @Override
    public void setObject(String parameterName, Object value, SQLType sqlType, int scaleOrLength) throws SQLException {
        delegate.setObject(parameterName, value, sqlType, scaleOrLength);
    }

    @Override
    public void setRowId(String parameterName, RowId value) throws SQLException {
        delegate.setRowId(parameterName, value);
    }

    @Override
    public void setSQLXML(String parameterName, SQLXML value) throws SQLException {
        delegate.setSQLXML(parameterName, value);
    }

    @Override
    public void setShort(String parameterName, short value) throws SQLException {
        delegate.setShort(parameterName, value);
    }

    @Override
    public void setString(String parameterName, String value) throws SQLException {
        delegate.setString(parameterName, value);
    }

    @Override
    public void setTime(String parameterName, Time value) throws SQLException {
        delegate.setTime(parameterName, value);
    }

    @Override
    public void setTime(String parameterName, Time value, Calendar calendar) throws SQLException {
        delegate.setTime(parameterName, value, calendar);
    }

    @Override
    public void setTimestamp(String parameterName, Timestamp value) throws SQLException {
        delegate.setTimestamp(parameterName, value);
    }

    @Override
    public void setTimestamp(String parameterName, Timestamp value, Calendar calendar) throws SQLException {
        delegate.setTimestamp(parameterName, value, calendar);
    }

    @Override
    public void setURL(String parameterName, URL value) throws SQLException {
        delegate.setURL(parameterName, value);
    }

    @Override
    public boolean wasNull() throws SQLException {
        return delegate.wasNull();
    }
}
