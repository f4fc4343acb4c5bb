package org.rowlock.jdbc.internal.forward;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;

/** A result set that hands every call to another. Subclasses change what they need. */
@SuppressWarnings("deprecation") // JDBC has them.
public abstract class ForwardingResultSet extends ForwardingWrapper implements ResultSet {
    private final ResultSet delegate;

    protected ForwardingResultSet(ResultSet delegate) {
        super(delegate);
        this.delegate = delegate;
    }

    @Override
    public boolean absolute(int value) throws SQLException {
        return delegate.absolute(value);
    }

    @Override
    public void afterLast() throws SQLException {
        delegate.afterLast();
    }

    @Override
    public void beforeFirst() throws SQLException {
        delegate.beforeFirst();
    }

    @Override
    public void cancelRowUpdates() throws SQLException {
        delegate.cancelRowUpdates();
    }

    @Override
    public void clearWarnings() throws SQLException {
        delegate.clearWarnings();
    }

    @Override
    public void close() throws SQLException {
        delegate.close();
    }

    @Override
    public void deleteRow() throws SQLException {
        delegate.deleteRow();
    }

    @Override
    public int findColumn(String columnLabel) throws SQLException {
        return delegate.findColumn(columnLabel);
    }

    @Override
    public boolean first() throws SQLException {
        return delegate.first();
    }

    @Override
    public Array getArray(String columnLabel) throws SQLException {
        return delegate.getArray(columnLabel);
    }

    @Override
    public Array getArray(int columnIndex) throws SQLException {
        return delegate.getArray(columnIndex);
    }

    @Override
    public InputStream getAsciiStream(String columnLabel) throws SQLException {
        return delegate.getAsciiStream(columnLabel);
    }

    @Override
    public InputStream getAsciiStream(int columnIndex) throws SQLException {
        return delegate.getAsciiStream(columnIndex);
    }

    @Override
    public BigDecimal getBigDecimal(String columnLabel) throws SQLException {
        return delegate.getBigDecimal(columnLabel);
    }

    @Override
    public BigDecimal getBigDecimal(int columnIndex) throws SQLException {
        return delegate.getBigDecimal(columnIndex);
    }

    @Override
    public BigDecimal getBigDecimal(String columnLabel, int value) throws SQLException {
        return delegate.getBigDecimal(columnLabel, value);
    }

    @Override
    public BigDecimal getBigDecimal(int columnIndex, int value) throws SQLException {
        return delegate.getBigDecimal(columnIndex, value);
    }

    @Override
    public InputStream getBinaryStream(String columnLabel) throws SQLException {
        return delegate.getBinaryStream(columnLabel);
    }

    @Override
    public InputStream getBinaryStream(int columnIndex) throws SQLException {
        return delegate.getBinaryStream(columnIndex);
    }

    @Override
    public Blob getBlob(String columnLabel) throws SQLException {
        return delegate.getBlob(columnLabel);
    }

    @Override
    public Blob getBlob(int columnIndex) throws SQLException {
        return delegate.getBlob(columnIndex);
    }

    @Override
    public boolean getBoolean(String columnLabel) throws SQLException {
        return delegate.getBoolean(columnLabel);
    }

    @Override
    public boolean getBoolean(int columnIndex) throws SQLException {
        return delegate.getBoolean(columnIndex);
    }

    @Override
    public byte getByte(String columnLabel) throws SQLException {
        return delegate.getByte(columnLabel);
    }

    @Override
    public byte getByte(int columnIndex) throws SQLException {
        return delegate.getByte(columnIndex);
    }

    @Override
    public byte[] getBytes(String columnLabel) throws SQLException {
        return delegate.getBytes(columnLabel);
    }

    @Override
    public byte[] getBytes(int columnIndex) throws SQLException {
        return delegate.getBytes(columnIndex);
    }

    @Override
    public Reader getCharacterStream(String columnLabel) throws SQLException {
        return delegate.getCharacterStream(columnLabel);
    }

    @Override
    public Reader getCharacterStream(int columnIndex) throws SQLException {
        return delegate.getCharacterStream(columnIndex);
    }

    @Override
    public Clob getClob(String columnLabel) throws SQLException {
        return delegate.getClob(columnLabel);
    }

    @Override
    public Clob getClob(int columnIndex) throws SQLException {
        return delegate.getClob(columnIndex);
    }

    @Override
    public int getConcurrency() throws SQLException {
        return delegate.getConcurrency();
    }

    @Override
    public String getCursorName() throws SQLException {
        return delegate.getCursorName();
    }

    @Override
    public Date getDate(String columnLabel) throws SQLException {
        return delegate.getDate(columnLabel);
    }

    @Override
    public Date getDate(int columnIndex) throws SQLException {
        return delegate.getDate(columnIndex);
    }

    @Override
    public Date getDate(String columnLabel, Calendar calendar) throws SQLException {
        return delegate.getDate(columnLabel, calendar);
    }

    @Override
    public Date getDate(int columnIndex, Calendar calendar) throws SQLException {
        return delegate.getDate(columnIndex, calendar);
    }

    @Override
    public double getDouble(String columnLabel) throws SQLException {
        return delegate.getDouble(columnLabel);
    }

    @Override
    public double getDouble(int columnIndex) throws SQLException {
        return delegate.getDouble(columnIndex);
    }

    @Override
    public int getFetchDirection() throws SQLException {
        return delegate.getFetchDirection();
    }

    @Override
    public int getFetchSize() throws SQLException {
        return delegate.getFetchSize();
    }

    @Override
    public float getFloat(String columnLabel) throws SQLException {
        return delegate.getFloat(columnLabel);
    }

    @Override
    public float getFloat(int columnIndex) throws SQLException {
        return delegate.getFloat(columnIndex);
    }

    @Override
    public int getHoldability() throws SQLException {
        return delegate.getHoldability();
    }

    @Override
    public int getInt(String columnLabel) throws SQLException {
        return delegate.getInt(columnLabel);
    }

    @Override
    public int getInt(int columnIndex) throws SQLException {
        return delegate.getInt(columnIndex);
    }

    @Override
    public long getLong(String columnLabel) throws SQLException {
        return delegate.getLong(columnLabel);
    }

    @Override
    public long getLong(int columnIndex) throws SQLException {
        return delegate.getLong(columnIndex);
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        return delegate.getMetaData();
    }

    @Override
    public Reader getNCharacterStream(String columnLabel) throws SQLException {
        return delegate.getNCharacterStream(columnLabel);
    }

    @Override
    public Reader getNCharacterStream(int columnIndex) throws SQLException {
        return delegate.getNCharacterStream(columnIndex);
    }

    @Override
    public NClob getNClob(String columnLabel) throws SQLException {
        return delegate.getNClob(columnLabel);
    }

    @Override
    public NClob getNClob(int columnIndex) throws SQLException {
        return delegate.getNClob(columnIndex);
    }

    @Override
    public String getNString(String columnLabel) throws SQLException {
        return delegate.getNString(columnLabel);
    }

    @Override
    public String getNString(int columnIndex) throws SQLException {
        return delegate.getNString(columnIndex);
    }

    @Override
    public Object getObject(String columnLabel) throws SQLException {
        return delegate.getObject(columnLabel);
    }

    @Override
    public Object getObject(int columnIndex) throws SQLException {
        return delegate.getObject(columnIndex);
    }

    @Override
    public <T> T getObject(String columnLabel, Class<T> type) throws SQLException {
        return delegate.getObject(columnLabel, type);
    }

    @Override
    public Object getObject(String columnLabel, Map<String, Class<?>> map) throws SQLException {
        return delegate.getObject(columnLabel, map);
    }

    @Override
    public <T> T getObject(int columnIndex, Class<T> type) throws SQLException {
        return delegate.getObject(columnIndex, type);
    }

    @Override
    public Object getObject(int columnIndex, Map<String, Class<?>> map) throws SQLException {
        return delegate.getObject(columnIndex, map);
    }

    @Override
    public Ref getRef(String columnLabel) throws SQLException {
        return delegate.getRef(columnLabel);
    }

    @Override
    public Ref getRef(int columnIndex) throws SQLException {
        return delegate.getRef(columnIndex);
    }

    @Override
    public int getRow() throws SQLException {
        return delegate.getRow();
    }

    @Override
    public RowId getRowId(String columnLabel) throws SQLException {
        return delegate.getRowId(columnLabel);
    }

    @Override
    public RowId getRowId(int columnIndex) throws SQLException {
        return delegate.getRowId(columnIndex);
    }

    @Override
    public SQLXML getSQLXML(String columnLabel) throws SQLException {
        return delegate.getSQLXML(columnLabel);
    }

    @Override
    public SQLXML getSQLXML(int columnIndex) throws SQLException {
        return delegate.getSQLXML(columnIndex);
    }

    @Override
    public short getShort(String columnLabel) throws SQLException {
        return delegate.getShort(columnLabel);
    }

    @Override
    public short getShort(int columnIndex) throws SQLException {
        return delegate.getShort(columnIndex);
    }

    @Override
    public Statement getStatement() throws SQLException {
        return delegate.getStatement();
    }

    @Override
    public String getString(String columnLabel) throws SQLException {
        return delegate.getString(columnLabel);
    }

    @Override
    public String getString(int columnIndex) throws SQLException {
        return delegate.getString(columnIndex);
    }

    @Override
    public Time getTime(String columnLabel) throws SQLException {
        return delegate.getTime(columnLabel);
    }

    @Override
    public Time getTime(int columnIndex) throws SQLException {
        return delegate.getTime(columnIndex);
    }

    @Override
    public Time getTime(String columnLabel, Calendar calendar) throws SQLException {
        return delegate.getTime(columnLabel, calendar);
    }

    @Override
    public Time getTime(int columnIndex, Calendar calendar) throws SQLException {
        return delegate.getTime(columnIndex, calendar);
    }

    @Override
    public Timestamp getTimestamp(String columnLabel) throws SQLException {
        return delegate.getTimestamp(columnLabel);
    }

    @Override
    public Timestamp getTimestamp(int columnIndex) throws SQLException {
        return delegate.getTimestamp(columnIndex);
    }

    @Override
    public Timestamp getTimestamp(String columnLabel, Calendar calendar) throws SQLException {
        return delegate.getTimestamp(columnLabel, calendar);
    }

    @Override
    public Timestamp getTimestamp(int columnIndex, Calendar calendar) throws SQLException {
        return delegate.getTimestamp(columnIndex, calendar);
    }

    @Override
    public int getType() throws SQLException {
        return delegate.getType();
    }

    @Override
    public URL getURL(String columnLabel) throws SQLException {
        return delegate.getURL(columnLabel);
    }

    @Override
    public URL getURL(int columnIndex) throws SQLException {
        return delegate.getURL(columnIndex);
    }

    @Override
    public InputStream getUnicodeStream(String columnLabel) throws SQLException {
        return delegate.getUnicodeStream(columnLabel);
    }

    @Override
    public InputStream getUnicodeStream(int columnIndex) throws SQLException {
        return delegate.getUnicodeStream(columnIndex);
    }

    @Override
    public SQLWarning getWarnings() throws SQLException {
        return delegate.getWarnings();
    }

    @Override
    public void insertRow() throws SQLException {
        delegate.insertRow();
    }

    @Override
    public boolean isAfterLast() throws SQLException {
        return delegate.isAfterLast();
    }

    @Override
    public boolean isBeforeFirst() throws SQLException {
        return delegate.isBeforeFirst();
    }

    @Override
    public boolean isClosed() throws SQLException {
        return delegate.isClosed();
    }

    @Override
    public boolean isFirst() throws SQLException {
        return delegate.isFirst();
    }

    @Override
    public boolean isLast() throws SQLException {
        return delegate.isLast();
    }

    @Override
    public boolean last() throws SQLException {
        return delegate.last();
    }

    @Override
    public void moveToCurrentRow() throws SQLException {
        delegate.moveToCurrentRow();
    }

    @Override
    public void moveToInsertRow() throws SQLException {
        delegate.moveToInsertRow();
    }

    @Override
    public boolean next() throws SQLException {
        return delegate.next();
    }

    @Override
    public boolean previous() throws SQLException {
        return delegate.previous();
    }

    @Override
    public void refreshRow() throws SQLException {
        delegate.refreshRow();
    }

    @Override
    public boolean relative(int value) throws SQLException {
        return delegate.relative(value);
    }

    @Override
    public boolean rowDeleted() throws SQLException {
        return delegate.rowDeleted();
    }

    @Override
    public boolean rowInserted() throws SQLException {
        return delegate.rowInserted();
    }

    @Override
    public boolean rowUpdated() throws SQLException {
        return delegate.rowUpdated();
    }

    @Override
    public void setFetchDirection(int value) throws SQLException {
        delegate.setFetchDirection(value);
    }

    @Override
    public void setFetchSize(int value) throws SQLException {
        delegate.setFetchSize(value);
    }

    @Override
    public void updateArray(String columnLabel, Array value) throws SQLException {
        delegate.updateArray(columnLabel, value);
    }

    @Override
    public void updateArray(int columnIndex, Array value) throws SQLException {
        delegate.updateArray(columnIndex, value);
    }

    @Override
    public void updateAsciiStream(String columnLabel, InputStream value) throws SQLException {
        delegate.updateAsciiStream(columnLabel, value);
    }

    @Override
    public void updateAsciiStream(int columnIndex, InputStream value) throws SQLException {
        delegate.updateAsciiStream(columnIndex, value);
    }

    @Override
    public void updateAsciiStream(String columnLabel, InputStream value, int length) throws SQLException {
        delegate.updateAsciiStream(columnLabel, value, length);
    }

    @Override
    public void updateAsciiStream(String columnLabel, InputStream value, long length) throws SQLException {
        delegate.updateAsciiStream(columnLabel, value, length);
    }

    @Override
    public void updateAsciiStream(int columnIndex, InputStream value, int length) throws SQLException {
        delegate.updateAsciiStream(columnIndex, value, length);
    }

    @Override
    public void updateAsciiStream(int columnIndex, InputStream value, long length) throws SQLException {
        delegate.updateAsciiStream(columnIndex, value, length);
    }

    @Override
    public void updateBigDecimal(String columnLabel, BigDecimal value) throws SQLException {
        delegate.updateBigDecimal(columnLabel, value);
    }

    @Override
    public void updateBigDecimal(int columnIndex, BigDecimal value) throws SQLException {
        delegate.updateBigDecimal(columnIndex, value);
    }

    @Override
    public void updateBinaryStream(String columnLabel, InputStream value) throws SQLException {
        delegate.updateBinaryStream(columnLabel, value);
    }

    @Override
    public void updateBinaryStream(int columnIndex, InputStream value) throws SQLException {
        delegate.updateBinaryStream(columnIndex, value);
    }

    @Override
    public void updateBinaryStream(String columnLabel, InputStream value, int length) throws SQLException {
        delegate.updateBinaryStream(columnLabel, value, length);
    }

    @Override
    public void updateBinaryStream(String columnLabel, InputStream value, long length) throws SQLException {
        delegate.updateBinaryStream(columnLabel, value, length);
    }

    @Override
    public void updateBinaryStream(int columnIndex, InputStream value, int length) throws SQLException {
        delegate.updateBinaryStream(columnIndex, value, length);
    }

    @Override
    public void updateBinaryStream(int columnIndex, InputStream value, long length) throws SQLException {
        delegate.updateBinaryStream(columnIndex, value, length);
    }

    @Override
    public void updateBlob(String columnLabel, InputStream value) throws SQLException {
        delegate.updateBlob(columnLabel, value);
    }

    @Override
    public void updateBlob(String columnLabel, Blob value) throws SQLException {
        delegate.updateBlob(columnLabel, value);
    }

    @Override
    public void updateBlob(int columnIndex, InputStream value) throws SQLException {
        delegate.updateBlob(columnIndex, value);
    }

    @Override
    public void updateBlob(int columnIndex, Blob value) throws SQLException {
        delegate.updateBlob(columnIndex, value);
    }

    @Override
    public void updateBlob(String columnLabel, InputStream value, long length) throws SQLException {
        delegate.updateBlob(columnLabel, value, length);
    }

    @Override
    public void updateBlob(int columnIndex, InputStream value, long length) throws SQLException {
        delegate.updateBlob(columnIndex, value, length);
    }

    @Override
    public void updateBoolean(String columnLabel, boolean value) throws SQLException {
        delegate.updateBoolean(columnLabel, value);
    }

    @Override
    public void updateBoolean(int columnIndex, boolean value) throws SQLException {
        delegate.updateBoolean(columnIndex, value);
    }

    @Override
    public void updateByte(String columnLabel, byte value) throws SQLException {
        delegate.updateByte(columnLabel, value);
    }

    @Override
    public void updateByte(int columnIndex, byte value) throws SQLException {
        delegate.updateByte(columnIndex, value);
    }

    @Override
    public void updateBytes(String columnLabel, byte[] value) throws SQLException {
        delegate.updateBytes(columnLabel, value);
    }

    @Override
    public void updateBytes(int columnIndex, byte[] value) throws SQLException {
        delegate.updateBytes(columnIndex, value);
    }

    @Override
    public void updateCharacterStream(String columnLabel, Reader value) throws SQLException {
        delegate.updateCharacterStream(columnLabel, value);
    }

    @Override
    public void updateCharacterStream(int columnIndex, Reader value) throws SQLException {
        delegate.updateCharacterStream(columnIndex, value);
    }

    @Override
    public void updateCharacterStream(String columnLabel, Reader value, int length) throws SQLException {
        delegate.updateCharacterStream(columnLabel, value, length);
    }

    @Override
    public void updateCharacterStream(String columnLabel, Reader value, long length) throws SQLException {
        delegate.updateCharacterStream(columnLabel, value, length);
    }

    @Override
    public void updateCharacterStream(int columnIndex, Reader value, int length) throws SQLException {
        delegate.updateCharacterStream(columnIndex, value, length);
    }

    @Override
    public void updateCharacterStream(int columnIndex, Reader value, long length) throws SQLException {
        delegate.updateCharacterStream(columnIndex, value, length);
    }

    @Override
    public void updateClob(String columnLabel, Reader value) throws SQLException {
        delegate.updateClob(columnLabel, value);
    }

    @Override
    public void updateClob(String columnLabel, Clob value) throws SQLException {
        delegate.updateClob(columnLabel, value);
    }

    @Override
    public void updateClob(int columnIndex, Reader value) throws SQLException {
        delegate.updateClob(columnIndex, value);
    }

    @Override
    public void updateClob(int columnIndex, Clob value) throws SQLException {
        delegate.updateClob(columnIndex, value);
    }

    @Override
    public void updateClob(String columnLabel, Reader value, long length) throws SQLException {
        delegate.updateClob(columnLabel, value, length);
    }

    @Override
    public void updateClob(int columnIndex, Reader value, long length) throws SQLException {
        delegate.updateClob(columnIndex, value, length);
    }

    @Override
    public void updateDate(String columnLabel, Date value) throws SQLException {
        delegate.updateDate(columnLabel, value);
    }

    @Override
    public void updateDate(int columnIndex, Date value) throws SQLException {
        delegate.updateDate(columnIndex, value);
    }

    @Override
    public void updateDouble(String columnLabel, double value) throws SQLException {
        delegate.updateDouble(columnLabel, value);
    }

    @Override
    public void updateDouble(int columnIndex, double value) throws SQLException {
        delegate.updateDouble(columnIndex, value);
    }

    @Override
    public void updateFloat(String columnLabel, float value) throws SQLException {
        delegate.updateFloat(columnLabel, value);
    }

    @Override
    public void updateFloat(int columnIndex, float value) throws SQLException {
        delegate.updateFloat(columnIndex, value);
    }

    @Override
    public void updateInt(String columnLabel, int value) throws SQLException {
        delegate.updateInt(columnLabel, value);
    }

    @Override
    public void updateInt(int columnIndex, int value) throws SQLException {
        delegate.updateInt(columnIndex, value);
    }

    @Override
    public void updateLong(String columnLabel, long value) throws SQLException {
        delegate.updateLong(columnLabel, value);
    }

    @Override
    public void updateLong(int columnIndex, long value) throws SQLException {
        delegate.updateLong(columnIndex, value);
    }

    @Override
    public void updateNCharacterStream(String columnLabel, Reader value) throws SQLException {
        delegate.updateNCharacterStream(columnLabel, value);
    }

    @Override
    public void updateNCharacterStream(int columnIndex, Reader value) throws SQLException {
        delegate.updateNCharacterStream(columnIndex, value);
    }

    @Override
    public void updateNCharacterStream(String columnLabel, Reader value, long length) throws SQLException {
        delegate.updateNCharacterStream(columnLabel, value, length);
    }

    @Override
    public void updateNCharacterStream(int columnIndex, Reader value, long length) throws SQLException {
        delegate.updateNCharacterStream(columnIndex, value, length);
    }

    @Override
    public void updateNClob(String columnLabel, Reader value) throws SQLException {
        delegate.updateNClob(columnLabel, value);
    }

    @Override
    public void updateNClob(String columnLabel, NClob value) throws SQLException {
        delegate.updateNClob(columnLabel, value);
    }

    @Override
    public void updateNClob(int columnIndex, Reader value) throws SQLException {
        delegate.updateNClob(columnIndex, value);
    }

    @Override
    public void updateNClob(int columnIndex, NClob value) throws SQLException {
        delegate.updateNClob(columnIndex, value);
    }

    @Override
    public void updateNClob(String columnLabel, Reader value, long length) throws SQLException {
        delegate.updateNClob(columnLabel, value, length);
    }

    @Override
    public void updateNClob(int columnIndex, Reader value, long length) throws SQLException {
        delegate.updateNClob(columnIndex, value, length);
    }

    @Override
    public void updateNString(String columnLabel, String value) throws SQLException {
        delegate.updateNString(columnLabel, value);
    }

    @Override
    public void updateNString(int columnIndex, String value) throws SQLException {
        delegate.updateNString(columnIndex, value);
    }

    @Override
    public void updateNull(String columnLabel) throws SQLException {
        delegate.updateNull(columnLabel);
    }

    @Override
    public void updateNull(int columnIndex) throws SQLException {
        delegate.updateNull(columnIndex);
    }

    @Override
    public void updateObject(String columnLabel, Object value) throws SQLException {
        delegate.updateObject(columnLabel, value);
    }

    @Override
    public void updateObject(int columnIndex, Object value) throws SQLException {
        delegate.updateObject(columnIndex, value);
    }

    @Override
    public void updateObject(String columnLabel, Object value, int scaleOrLength) throws SQLException {
        delegate.updateObject(columnLabel, value, scaleOrLength);
    }

    @Override
    public void updateObject(String columnLabel, Object value, SQLType sqlType) throws SQLException {
        delegate.updateObject(columnLabel, value, sqlType);
    }

    @Override
    public void updateObject(int columnIndex, Object value, int scaleOrLength) throws SQLException {
        delegate.updateObject(columnIndex, value, scaleOrLength);
    }

    @Override
    public void updateObject(int columnIndex, Object value, SQLType sqlType) throws SQLException {
        delegate.updateObject(columnIndex, value, sqlType);
    }

    @Override
    public void updateObject(String columnLabel, Object value, SQLType sqlType, int scaleOrLength) throws SQLException {
        delegate.updateObject(columnLabel, value, sqlType, scaleOrLength);
    }

    @Override
    public void updateObject(int columnIndex, Object value, SQLType sqlType, int scaleOrLength) throws SQLException {
        delegate.updateObject(columnIndex, value, sqlType, scaleOrLength);
    }

    @Override
    public void updateRef(String columnLabel, Ref value) throws SQLException {
        delegate.updateRef(columnLabel, value);
    }

    @Override
    public void updateRef(int columnIndex, Ref value) throws SQLException {
        delegate.updateRef(columnIndex, value);
    }

    @Override
    public void updateRow() throws SQLException {
        delegate.updateRow();
    }

    @Override
    public void updateRowId(String columnLabel, RowId value) throws SQLException {
        delegate.updateRowId(columnLabel, value);
    }

    @Override
    public void updateRowId(int columnIndex, RowId value) throws SQLException {
        delegate.updateRowId(columnIndex, value);
    }

    @Override
    public void updateSQLXML(String columnLabel, SQLXML value) throws SQLException {
        delegate.updateSQLXML(columnLabel, value);
    }

    @Override
    public void updateSQLXML(int columnIndex, SQLXML value) throws SQLException {
        delegate.updateSQLXML(columnIndex, value);
    }

    @Override
    public void updateShort(String columnLabel, short value) throws SQLException {
        delegate.updateShort(columnLabel, value);
    }

    @Override
    public void updateShort(int columnIndex, short value) throws SQLException {
        delegate.updateShort(columnIndex, value);
    }

    @Override
    public void updateString(String columnLabel, String value) throws SQLException {
        delegate.updateString(columnLabel, value);
    }

    @Override
    public void updateString(int columnIndex, String value) throws SQLException {
        delegate.updateString(columnIndex, value);
    }

    @Override
    public void updateTime(String columnLabel, Time value) throws SQLException {
        delegate.updateTime(columnLabel, value);
    }

    @Override
    public void updateTime(int columnIndex, Time value) throws SQLException {
        delegate.updateTime(columnIndex, value);
    }

    @Override
    public void updateTimestamp(String columnLabel, Timestamp value) throws SQLException {
        delegate.updateTimestamp(columnLabel, value);
    }

    @Override
    public void updateTimestamp(int columnIndex, Timestamp value) throws SQLException {
        delegate.updateTimestamp(columnIndex, value);
    }

    @Override
    public boolean wasNull() throws SQLException {
        return delegate.wasNull();
    }
}
