package org.rowlock.jdbc.internal.wrap;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.forward.ForwardingDatabaseMetaData;

/** Metadata whose connection, statements and results are wrapped. */
final class RowlockDatabaseMetaData extends ForwardingDatabaseMetaData {
    private final RowlockConnection connection;

    RowlockDatabaseMetaData(RowlockConnection connection, DatabaseMetaData delegate) {
        super(delegate);
        this.connection = connection;
    }

    @Override
    protected void unwrapped() throws SQLException {
        connection.unwrapped();
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public String getURL() throws SQLException {
        return connection.url == null ? super.getURL() : connection.url;
    }

    @Override
    protected @Nullable ResultSet results(@Nullable ResultSet results) throws SQLException {
        Statement statement = results == null ? null : results.getStatement();
        return statement == null ? results : new RowlockStatement(connection, statement).wrap(results);
    }
}
