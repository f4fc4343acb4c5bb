package org.rowlock.internal.verify;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.PgSession;

/** One connection of a verification, in transactions that are rolled back. */
final class Probe implements AutoCloseable {
    private final Connection connection;
    private final PgSession session;
    private final boolean autoCommit;

    private Probe(Connection connection) throws SQLException {
        this.connection = connection;
        this.session = PgSession.of(connection);
        this.autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
    }

    static Probe open(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            return new Probe(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    Connection connection() {
        return connection;
    }

    void rollback() throws SQLException {
        connection.rollback();
    }

    /** The columns of the first row, as a statement of its own, or none where there is no row. */
    List<@Nullable String> read(String sql, String... binds) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql)) {
            for (int i = 0; i < binds.length; i++) {
                statement.setString(i + 1, binds[i]);
            }
            List<@Nullable String> columns = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        columns.add(row.getString(i));
                    }
                }
            }
            return columns;
        }
    }

    /** The same as a statement that the driver has prepared on the server, as it does with statements that are run often. */
    List<@Nullable String> readPrepared(String sql, String... binds) throws SQLException {
        int threshold = session.prepareThreshold();
        session.setPrepareThreshold(1);
        try {
            return read(sql, binds);
        } finally {
            session.setPrepareThreshold(threshold);
        }
    }

    /** Whether the driver prepares statements on the server at all. */
    boolean preparesStatements() {
        return session.prepareThreshold() > 0;
    }

    void kill() throws SQLException {
        session.kill();
    }

    String product() throws SQLException {
        String cockroach = session.reported("crdb_version");
        return cockroach != null
                ? cockroach
                : connection.getMetaData().getDatabaseProductName()
                        + ' '
                        + connection.getMetaData().getDatabaseProductVersion();
    }

    /** A connection that cannot be given back as it was is ended, so that nobody gets it from a pool. */
    @Override
    public void close() throws SQLException {
        try (connection) {
            try {
                if (!connection.isClosed()) {
                    connection.rollback();
                    connection.setAutoCommit(autoCommit);
                }
            } catch (SQLException e) {
                session.kill();
            }
        }
    }
}
