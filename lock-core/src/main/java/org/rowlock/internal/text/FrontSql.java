package org.rowlock.internal.text;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The SQL of a front lock: an advisory lock of a row, acquired by a statement before the one that locks the row. A
 * front lock is acquired only while the transaction has no xid, and so no row lock. Therefore only transactions that
 * wait for the same front lock can wait for this transaction. The key of a front lock differs from the LockKey of the
 * row, because transactions may wait for a LockKey while they hold row locks. An absent row has no front lock, because
 * FOR UPDATE does not wait for it either.
 *
 * <p>The wait is bounded, because the holder of the front lock may not hold the row lock. The transaction's own
 * lock_timeout is restored unchanged before the caller's statement begins. In REPEATABLE READ and SERIALIZABLE no front
 * lock is acquired.
 */
public final class FrontSql {
    /** The name of a setting of the transaction that stores whether the row exists. */
    private static final String IS_THERE = "'rowlock.front'";

    /**
     * The statement before the front lock, within a transaction. After an error, the existence of the savepoint shows
     * which statement failed.
     */
    public static final String MARK = "savepoint rowlock_front";

    /**
     * The statement between the front lock and the caller's statement. It releases the savepoint, so that no row is
     * locked in a subtransaction.
     */
    public static final String UNMARK = "release savepoint rowlock_front";

    /**
     * The divisor for the part of a session's timeout that the wait may take. The caller's statement has the full
     * timeout again.
     */
    public static final int PART_OF_TIMEOUT = 10;

    /** The statement that acquires the front lock, with parameters that {@link #bind} sets. */
    public static final String SQL =
            sql("cast(? as boolean)", "cast(? as bigint)", "cast(? as integer)", "cast(? as integer)");

    public static final int PARAMETERS = 4;

    /** An expression for the lock_timeout of the session in milliseconds, 0 for none. */
    public static final String LOCK_TIMEOUT_MILLIS =
            "(extract(epoch from pg_catalog.current_setting('lock_timeout')::pg_catalog.interval) * 1000)::bigint";

    private static final long SALT = 0xcbf29ce484222325L;

    private FrontSql() {}

    /**
     * Returns a statement that checks whether the row exists. The statement may have to wait for a lock on the table,
     * as the caller's statement would. It is sent before {@link #MARK}, so that the full timeout applies to that wait.
     *
     * @param row a query that finds the row, locked or not
     */
    public static String look(String row) {
        // The caller's text may end with a -- comment, which the line break ends.
        return "select pg_catalog.set_config(" + IS_THERE + ", (exists (" + row + "\n))::pg_catalog.text, true)";
    }

    /** Returns the statement that acquires the front lock, without parameters. */
    public static String literal(boolean timed, long key, int millis) {
        return sql(Boolean.toString(timed), "'" + key + "'::bigint", Integer.toString(millis), "" + PART_OF_TIMEOUT);
    }

    /**
     * Returns the statement that acquires the front lock. The server first evaluates the select in brackets, because of
     * "offset 0", and so sets the bound. It then evaluates the lock, as an argument of the call that restores
     * lock_timeout.
     */
    private static String sql(String timed, String key, String millis, String part) {
        return "select pg_catalog.set_config('lock_timeout', a.own || (pg_catalog.pg_advisory_xact_lock(" + key
                + "))::pg_catalog.text, true), case when " + timed
                + " then extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp()) end from ("
                + "select pg_catalog.current_setting('lock_timeout') as own,"
                + " pg_catalog.set_config('lock_timeout', (case when"
                + " pg_catalog.current_setting('lock_timeout') = '0' and"
                + " pg_catalog.current_setting('statement_timeout') = '0' then m.millis"
                + " else greatest(1, least(m.millis, "
                + part("lock_timeout") + ", " + part("statement_timeout")
                + "))::integer end)::pg_catalog.text, true) from (select " + millis + " as millis, " + part
                + " as part) as m"
                + " where pg_catalog.current_setting(" + IS_THERE + ") = 'true'"
                + " and pg_catalog.pg_current_xact_id_if_assigned() is null"
                + " and pg_catalog.current_setting('transaction_isolation') in ('read committed', 'read uncommitted')"
                + " offset 0) as a";
    }

    /** Returns an expression for the usable part of a timeout in milliseconds. It is null if the timeout is not set. */
    private static String part(String timeout) {
        return "nullif(extract(epoch from pg_catalog.current_setting('" + timeout
                + "')::pg_catalog.interval) * 1000 / m.part, 0)";
    }

    /**
     * Sets the parameters from index {@code at} on, and returns the index after the last one.
     *
     * @param timed whether the server reports how long the wait was
     * @param millis the longest wait
     * @param part the divisor for the usable part of the timeouts: 10 means a tenth
     */
    public static int bind(PreparedStatement statement, int at, boolean timed, long key, int millis, int part)
            throws SQLException {
        statement.setLong(at, key);
        statement.setBoolean(at + 1, timed);
        statement.setInt(at + 2, millis);
        statement.setInt(at + 3, part);
        return at + PARAMETERS;
    }

    /**
     * Returns the text of a statement with its front lock.
     *
     * @param row finds the row; see {@link #look}
     */
    public static String inFrontOf(String sql, String row, String lock, boolean marked) {
        return look(row) + ';' + (marked ? MARK + ';' + lock + ';' + UNMARK : lock) + ';' + sql;
    }

    /**
     * Reads the results of the check and the front lock. Afterwards the current result is that of the caller's
     * statement.
     *
     * @return as {@link #waitedNanos(ResultSet)}
     */
    public static long waitedNanos(Statement sent, boolean marked) throws SQLException {
        sent.getMoreResults();
        if (marked) {
            sent.getMoreResults();
        }
        long waited = waitedNanos(sent.getResultSet());
        if (marked) {
            sent.getMoreResults();
        }
        sent.getMoreResults();
        return waited;
    }

    /**
     * Whether the front lock, and not the caller's statement, caused an error that has aborted the transaction. If so,
     * the savepoint exists, and this method rolls back to it. Neither the text of the error nor the duration of the
     * wait would be certain proof.
     */
    public static boolean undoes(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("rollback to " + MARK);
            return true;
        } catch (SQLException e) {
            if (SqlState.INVALID_SAVEPOINT.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Whether a wait was shorter than the lock_timeout of its session, so that only the bound of the front lock can
     * have ended it. This check is used in autocommit, where no savepoint can be set. If the answer arrives later than
     * the lock_timeout, the error is treated as that of the session's own lock_timeout.
     *
     * @param lockTimeout {@link #LOCK_TIMEOUT_MILLIS}
     */
    public static boolean isWithin(String lockTimeout, long tookNanos) {
        long millis = Long.parseLong(lockTimeout);
        return millis == 0 || tookNanos < TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /**
     * Returns how long the wait was.
     *
     * @return the nanoseconds; 0 if it was not timed, and -1 if nothing was locked
     */
    public static long waitedNanos(ResultSet row) throws SQLException {
        return row.next() ? (long) (row.getDouble(2) * TimeUnit.SECONDS.toNanos(1)) : -1;
    }

    /**
     * Returns the key of the front lock of a row, which is the same in every JVM. All bits are mixed, so that it rarely
     * equals an advisory key of another application. Different names of a table have different keys, and rows with the
     * same hash share a key; both effects cost only speed.
     */
    public static long key(@Nullable String searchPath, String table, List<String> id) {
        long place = 31L * Objects.hashCode(searchPath) + table.hashCode();
        long hash = place << Integer.SIZE ^ id.hashCode() ^ SALT;
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
