package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The size of pg_multixact on disk. Only roles that may list directories can tell.
 *
 * @param bytes of all its files
 */
record MultiXactFiles(long bytes) {
    /** A file that vacuum removes meanwhile counts nothing. */
    private static final String SELECT = """
            select coalesce(sum((pg_stat_file(directory || '/' || file, true)).size), 0)::int8 as bytes
            from unnest(array['pg_multixact/members', 'pg_multixact/offsets']) as directory, pg_ls_dir(directory) as file
            """;

    static MultiXactFiles read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SELECT)) {
            row.next();
            return new MultiXactFiles(row.getLong("bytes"));
        }
    }
}
