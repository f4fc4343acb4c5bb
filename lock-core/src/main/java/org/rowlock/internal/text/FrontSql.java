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
 * The advisory lock of a row, as a statement in front of the one that locks the row. It locks only while the
 * transaction has no xid, and so no row. Then only the transactions behind it wait for a waiting one. Its key differs
 * from that of LockKey, for which transactions wait while they hold rows. An absent row has no lock in front, because
 * FOR UPDATE does not wait for one either.
 *
 * <p>The wait is bounded, because the holder of the lock may not have the row. The transaction's own lock_timeout is
 * restored verbatim before the statement behind it begins. With a snapshot that outlives the statement (REPEATABLE
 * READ) it does nothing.
 */
public final class FrontSql {
    /** The name of a setting for whether the row exists. A setting of the transaction ends with it. */
    private static final String IS_THERE = "'rowlock.front'";

    /**
     * The statement in front of the lock, within a transaction. The existence of the savepoint shows which statement an
     * error belongs to.
     */
    public static final String MARK = "savepoint rowlock_front";

    /** The statement behind the lock and in front of the caller's, so that no row is locked in a subtransaction. */
    public static final String UNMARK = "release savepoint rowlock_front";

    /**
     * The divisor for the part of a session's timeout that the wait may take. The statement behind it has the full
     * timeout again.
     */
    public static final int PART_OF_TIMEOUT = 10;

    /** The lock with parameters, which {@link #bind} sets. */
    public static final String SQL =
            sql("cast(? as boolean)", "cast(? as bigint)", "cast(? as integer)", "cast(? as integer)");

    public static final int PARAMETERS = 4;

    /** An expression for the lock_timeout of the session in milliseconds, 0 for none. */
    public static final String LOCK_TIMEOUT_MILLIS =
            "(extract(epoch from pg_catalog.current_setting('lock_timeout')::pg_catalog.interval) * 1000)::bigint";

    private static final long SALT = 0xcbf29ce484222325L;

    private FrontSql() {}

    /**
     * Returns a statement that checks whether the row exists. It is separate, in front of {@link #MARK}, because it may
     * wait for the table as the statement behind would. That wait is the caller's, with the full timeout.
     *
     * @param row a query that finds the row, locked or not
     */
    public static String look(String row) {
        // The line break ends a comment of the caller's.
        return "select pg_catalog.set_config(" + IS_THERE + ", (exists (" + row + "\n))::pg_catalog.text, true)";
    }

    /** Returns the lock without parameters. */
    public static String literal(boolean timed, long key, int millis) {
        return sql(Boolean.toString(timed), "'" + key + "'::bigint", Integer.toString(millis), "" + PART_OF_TIMEOUT);
    }

    /**
     * Returns the lock. The select in brackets, which "offset 0" separates, is evaluated first. The lock follows, as an
     * argument of the call that ends the bound.
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

    /**
     * Returns an expression for the part of a timeout that may be used, in milliseconds; null if the timeout is not
     * set.
     */
    private static String part(String timeout) {
        return "nullif(extract(epoch from pg_catalog.current_setting('" + timeout
                + "')::pg_catalog.interval) * 1000 / m.part, 0)";
    }

    /**
     * Sets the parameters from index {@code at} on, and returns the index behind the last one.
     *
     * @param timed whether the server reports how long the wait was
     * @param millis the longest wait
     * @param part the divisor for the usable part of a timeout of the session or the transaction: 10 means a tenth
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
     * Returns the text of a statement with a lock in front.
     *
     * @param row finds the row; see {@link #look}
     */
    public static String inFrontOf(String sql, String row, String lock, boolean marked) {
        return look(row) + ';' + (marked ? MARK + ';' + lock + ';' + UNMARK : lock) + ';' + sql;
    }

    /**
     * Reads the results of the check and the lock, up to the result of the statement behind them.
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
     * Whether an error that has aborted the transaction belongs to the lock, and not to the statement behind it. If so,
     * the savepoint exists, and the transaction is as it was before the lock. Neither a clock nor a text can show that.
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
     * Whether a wait was shorter than the lock_timeout of its session, so that only the bound of the lock in front can
     * have ended it. It is for autocommit, where no savepoint can be set, and nothing else outlives the error. If the
     * answer arrives later than the lock_timeout, the error is treated as the session's, because it is not early for
     * the caller.
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
     * Returns the key of a row, which is the same in every JVM. All bits are mixed, because other applications have
     * keys of their own. Another name of the same table makes another key, and rows with the same hash share one; both
     * cost only speed.
     */
    public static long key(@Nullable String searchPath, String table, List<String> id) {
        long place = 31L * Objects.hashCode(searchPath) + table.hashCode();
        long hash = place << Integer.SIZE ^ id.hashCode() ^ SALT;
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
