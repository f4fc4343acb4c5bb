package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What Rowlock sends to lock an account with ADVISORY and to read it in the same round trip, as plain JDBC: the library
 * may cost no more than this. A test compares the two texts.
 */
final class HandWritten {
    /** In front of what the guard saw, where it refused. Rowlock's is random. */
    static final String MARK = "refused:";

    /**
     * Holds the table, and locks the pair of the table's OID and the id, provided that the lock means something in this
     * transaction and that the table is one whose rows the role may lock. Otherwise raises an error, so that the
     * statement behind it does not run without the lock.
     */
    private static final String LOCK = "with rowlock_held_0 as (select from \"" + Accounts.TABLE + "\" for key share) "
            + "select case when current_setting('transaction_read_only') = 'off'"
            + " and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')"
            + " and has_any_column_privilege(c.oid, 'update')"
            + " and (pg_relation_filenode(c.oid) is not null or pg_partition_root(c.oid) is not null)"
            + " and pg_relation_is_updatable(c.oid, false) <> 0"
            + " then pg_advisory_xact_lock(coalesce(pg_partition_root(c.oid), c.oid)::oid::int4, cast(? as int4))::text"
            + " else cast('" + MARK + "' || current_setting('transaction_isolation')"
            + " || '/' || current_setting('transaction_read_only') || '/'"
            + " || case when has_any_column_privilege(c.oid, 'update')"
            + " and (pg_relation_filenode(c.oid) is not null or pg_partition_root(c.oid) is not null)"
            + " and pg_relation_is_updatable(c.oid, false) <> 0 then ''"
            + " else case when has_any_column_privilege(c.oid, 'update') then '?' else '!' end end"
            + " || ':' as int4)::text end, current_setting('transaction_isolation')"
            + " from (select cast(cast(? as text) as regclass) as oid offset 0) as c";

    private HandWritten() {}

    /** Locks, and runs a query of one parameter that gives one number, in one round trip. */
    static long lockAndRead(Connection connection, String query, int aid) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK + "\n;" + query)) {
            statement.setInt(1, aid);
            statement.setString(2, Accounts.TABLE);
            statement.setInt(3, aid);
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
