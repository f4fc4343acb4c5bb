package org.rowlock.jdbc.internal.wrap;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.jdbc.internal.forward.ForwardingDatabaseMetaData;

/** Metadata that lead back to the wrapper. */
final class RowlockDatabaseMetaData extends ForwardingDatabaseMetaData {
    private final RowlockConnection connection;

    RowlockDatabaseMetaData(RowlockConnection connection, DatabaseMetaData delegate) {
        super(delegate);
        this.connection = connection;
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    protected ResultSet results(ResultSet results) throws SQLException {
        Statement statement = results == null ? null : results.getStatement();
        return statement == null ? results : RowlockResultSet.of(new RowlockStatement(connection, statement), results);
    }
}
