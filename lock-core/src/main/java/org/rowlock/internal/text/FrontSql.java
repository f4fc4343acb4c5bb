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
 * transaction has no xid, and so no row: then nobody waits for a waiter here but those behind. Its key is not that of
 * LockKey, for which others wait while they hold rows. A row that is not there has no lock in front, as FOR UPDATE
 * waits for none either.
 *
 * <p>The wait is bounded, as the holder of the lock may not have the row. The transaction's own lock_timeout is back,
 * word for word, when the statement behind it begins. With a snapshot that outlives the statement (REPEATABLE READ) it
 * does nothing.
 */
public final class FrontSql {
    /** Whether the row is there: a setting, since what the transaction sets is gone with it. */
    private static final String IS_THERE = "'rowlock.front'";

    /** Goes in front of the lock, within a transaction: whether the savepoint is there says what an error is of. */
    public static final String MARK = "savepoint rowlock_front";

    /** Goes behind the lock and in front of the statement, so that no row is locked within a subtransaction. */
    public static final String UNMARK = "release savepoint rowlock_front";

    /** The part of a timeout of the session that the wait may take: what is behind it has all of it again. */
    public static final int PART_OF_TIMEOUT = 10;

    /** With parameters, those of {@link #bind}. */
    public static final String SQL =
            sql("cast(? as boolean)", "cast(? as bigint)", "cast(? as integer)", "cast(? as integer)");

    public static final int PARAMETERS = 4;

    /** An expression: the lock_timeout of the session in milliseconds, 0 for none. */
    public static final String LOCK_TIMEOUT_MILLIS =
            "(extract(epoch from pg_catalog.current_setting('lock_timeout')::pg_catalog.interval) * 1000)::bigint";

    private static final long SALT = 0xcbf29ce484222325L;

    private FrontSql() {}

    /**
     * Looks whether the row is there. A statement of its own in front of {@link #MARK}, since it may wait for the table
     * as the statement behind would: that wait is the caller's, with all of its timeout.
     *
     * @param row a query that finds it, locked or not
     */
    public static String look(String row) {
        // The line break ends a comment of the caller's.
        return "select pg_catalog.set_config(" + IS_THERE + ", (exists (" + row + "\n))::pg_catalog.text, true)";
    }

    /** Without parameters. */
    public static String literal(boolean timed, long key, int millis) {
        return sql(Boolean.toString(timed), "'" + key + "'::bigint", Integer.toString(millis), "" + PART_OF_TIMEOUT);
    }

    /**
     * The select in brackets, which "offset 0" keeps apart, is done first; then, as an argument of what ends the bound,
     * the lock.
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

    /** The part of a timeout that may be spent, in milliseconds; null where it is not set. */
    private static String part(String timeout) {
        return "nullif(extract(epoch from pg_catalog.current_setting('" + timeout
                + "')::pg_catalog.interval) * 1000 / m.part, 0)";
    }

    /**
     * Sets the parameters from index {@code at} on and gives the index behind the last one.
     *
     * @param timed whether the server is to say how long the wait was
     * @param millis the longest wait
     * @param part the part of a timeout of the session or the transaction that it may take: a tenth is 10
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
     * The text of a lock in front of a statement.
     *
     * @param row finds the row, see {@link #look}
     */
    public static String inFrontOf(String sql, String row, String lock, boolean marked) {
        return look(row) + ';' + (marked ? MARK + ';' + lock + ';' + UNMARK : lock) + ';' + sql;
    }

    /**
     * Reads what came back of the look and the lock, up to the result of the statement behind it.
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
     * Whether an error that has aborted the transaction is that of the lock, and not of the statement behind it: then
     * the savepoint is there, and the transaction is as in front of the lock. Neither a clock nor a text says it.
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
     * have ended it. For autocommit, where no savepoint can be set, and nothing else outlives the error. If the answer
     * takes longer than the lock_timeout to arrive, the error passes for the session's: it is not early to the caller.
     *
     * @param lockTimeout {@link #LOCK_TIMEOUT_MILLIS}
     */
    public static boolean isWithin(String lockTimeout, long tookNanos) {
        long millis = Long.parseLong(lockTimeout);
        return millis == 0 || tookNanos < TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /**
     * How long the wait was.
     *
     * @return in nanoseconds; 0 where it was not timed, and -1 where nothing was locked
     */
    public static long waitedNanos(ResultSet row) throws SQLException {
        return row.next() ? (long) (row.getDouble(2) * TimeUnit.SECONDS.toNanos(1)) : -1;
    }

    /**
     * The key of a row, the same in every JVM, with all bits mixed as others have keys of their own. Another name of
     * the same table makes another key, and rows whose hashes are the same share one, which costs speed only.
     */
    public static long key(@Nullable String searchPath, String table, List<String> id) {
        long place = 31L * Objects.hashCode(searchPath) + table.hashCode();
        long hash = place << Integer.SIZE ^ id.hashCode() ^ SALT;
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
