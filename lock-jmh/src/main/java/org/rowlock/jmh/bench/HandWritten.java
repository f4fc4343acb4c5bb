package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The statements that Rowlock sends to lock a row with ADVISORY and to read it in the same round trip, as plain JDBC.
 * The library should not cost more than this. A test compares the two texts.
 */
final class HandWritten {
    /** The prefix of the error if the check refuses the lock. Rowlock uses a random one. */
    private static final String MARK = "refused:";

    private static final String ISOLATION = "pg_catalog.current_setting('transaction_isolation')";
    private static final String READ_ONLY = "pg_catalog.current_setting('transaction_read_only')";
    private static final String MAY_UPDATE = "pg_catalog.has_any_column_privilege(c.oid, 'update')";
    private static final String IS_TABLE = MAY_UPDATE
            + " and (pg_catalog.pg_relation_filenode(c.oid) is not null"
            + " or pg_catalog.pg_partition_root(c.oid) is not null)"
            + " and pg_catalog.pg_relation_is_updatable(c.oid, false) <> 0";

    /**
     * The statement that protects the table against DDL, and locks the pair of the table's OID and the id. It requires
     * a transaction in which the lock is useful, and a table whose rows the role may lock. Otherwise it raises an
     * error, so that the next statement does not run without the lock.
     */
    private static final String LOCK = "with rowlock_held_0 as (select from \"%s\" for key share) select case when "
            + READ_ONLY + " = 'off' and " + ISOLATION
            + " in ('read committed', 'read uncommitted')"
            + " and " + IS_TABLE
            + " then (pg_catalog.pg_advisory_xact_lock(coalesce(pg_catalog.pg_partition_root(c.oid), c.oid)"
            + "::pg_catalog.oid::integer, cast(? as integer)))::pg_catalog.text"
            + " else cast(cast(? as pg_catalog.text) || " + ISOLATION + " || '/' || " + READ_ONLY
            + " || '/~' || case when " + MAY_UPDATE + " then '?' else '!' end"
            + " || ':' as integer)::pg_catalog.text end, null::pg_catalog.text"
            + " from (select cast(cast(? as pg_catalog.text) as pg_catalog.regclass) as oid offset 0) as c";

    private HandWritten() {}

    /** Locks a row and runs a query in one round trip. The query has one parameter and returns one number. */
    static long lockAndRead(Connection connection, String table, String query, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK.formatted(table) + "\n;" + query)) {
            statement.setInt(1, id);
            statement.setString(2, MARK);
            statement.setString(3, table);
            statement.setInt(4, id);
            statement.execute();
            try (ResultSet lock = statement.getResultSet()) {
                lock.next();
                if (!lock.getString(1).isEmpty()) {
                    throw new InvariantViolation("the guard refused: " + lock.getString(1));
                }
            }
            statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
