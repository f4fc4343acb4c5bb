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
 * The SQL of a front lock: an advisory lock that a separate statement acquires before the statement that locks the row.
 *
 * <p>A front lock is acquired only while the transaction has no transaction id (xid), and therefore holds no row lock.
 * Waits for front locks can therefore not be part of a deadlock. The key of a front lock differs from the row's
 * advisory key, for which transactions may wait while they hold row locks. If the row is absent, no front lock is
 * acquired, because FOR UPDATE does not wait for an absent row.
 *
 * <p>The wait for the front lock is bounded, because the holder of the front lock may itself wait for the row lock. The
 * transaction's own lock_timeout is restored before the caller's statement begins. In REPEATABLE READ and SERIALIZABLE
 * no front lock is acquired.
 */
public final class FrontSql {
    static final String FRONT_COMMENT = "/* rowlock.front */";

    /** The name of the transaction-local setting for the parameters of the front lock; empty if the row is absent. */
    private static final String SETTING = "'rowlock.front'";

    /**
     * The statement that precedes the front lock if a transaction is open. After an error, the savepoint exists if and
     * only if the front lock caused the error.
     */
    public static final String MARK = "savepoint rowlock_front";

    /** Releases the savepoint after the front lock, because the row must not be locked in a subtransaction. */
    public static final String UNMARK = "release savepoint rowlock_front";

    /**
     * The wait for a front lock lasts at most the shortest timeout of the session, divided by this number. A call with
     * {@code atMost} uses another divisor.
     */
    public static final int PART_OF_TIMEOUT = 10;

    /**
     * The statement that acquires the front lock, after {@link #look}. The server first evaluates the select in
     * brackets, which sets lock_timeout to the bound; "offset 0" ensures this order. The result of the lock function is
     * an argument of the call that restores lock_timeout, so the server restores lock_timeout after the lock. The
     * statement has no parameters, because the server would then plan its first five executions on each connection. The
     * comment identifies the statement in pg_stat_activity, which shows only the beginning of the text.
     */
    public static final String SQL = FRONT_COMMENT + " select pg_catalog.set_config('lock_timeout', a.own ||"
            + " (pg_catalog.pg_advisory_xact_lock(a.key))::pg_catalog.text, true),"
            + " extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp()) from ("
            + "select m.f[1]::bigint as key, pg_catalog.current_setting('lock_timeout') as own,"
            + " pg_catalog.set_config('lock_timeout', (case when"
            + " pg_catalog.current_setting('lock_timeout') = '0' and"
            + " pg_catalog.current_setting('statement_timeout') = '0' then m.f[2]::integer"
            + " else greatest(1, least(m.f[2]::integer, "
            + part("lock_timeout") + ", " + part("statement_timeout")
            + "))::integer end)::pg_catalog.text, true) from (select pg_catalog.string_to_array("
            + "pg_catalog.current_setting(" + SETTING + "), ' ') as f) as m where m.f <> '{}'"
            + " and pg_catalog.pg_current_xact_id_if_assigned() is null"
            + " and " + GroupRule.READ_COMMITTED + " offset 0) as a";

    /** An expression for the lock_timeout of the session in milliseconds, 0 for none. */
    public static final String LOCK_TIMEOUT_MILLIS = millis("lock_timeout");

    private static final long SALT = 0xcbf29ce484222325L;

    private FrontSql() {}

    /**
     * Returns a statement that checks whether the row exists, and stores the parameters of the front lock, which {@link
     * #bind} sets. The check may wait for a lock on the table, like the caller's statement. The check is sent before
     * {@link #MARK}, so that the full timeout of the session applies to this wait.
     *
     * @param row a query that finds the row, locked or not
     */
    public static String look(String row) {
        // The line break ends a -- comment at the end of the caller's text.
        return "select pg_catalog.set_config(" + SETTING + ", case when exists (" + row + "\n) then"
                + " pg_catalog.concat_ws(' ', cast(? as bigint), cast(? as integer), cast(? as integer)) else '' end,"
                + " true)";
    }

    /** Returns an expression for a timeout of the session in milliseconds, 0 for none. */
    public static String millis(String timeout) {
        return '(' + fraction(timeout) + ")::bigint";
    }

    /** Returns an expression for a timeout of the session in milliseconds and their fraction. */
    private static String fraction(String timeout) {
        return "extract(epoch from pg_catalog.current_setting('" + timeout + "')::pg_catalog.interval) * 1000";
    }

    /** Returns an expression for the part of a timeout that the wait for a front lock may take; null for no timeout. */
    private static String part(String timeout) {
        return "nullif(" + fraction(timeout) + " / m.f[3]::integer, 0)";
    }

    /**
     * Sets the parameters from index {@code at} on. Returns the index after the last parameter.
     *
     * @param part the divisor for the timeouts of the session: 10 means that the wait may take a tenth
     */
    public static int bind(PreparedStatement statement, int at, long key, int millis, int part) throws SQLException {
        statement.setLong(at, key);
        statement.setInt(at + 1, millis);
        statement.setInt(at + 2, part);
        return at + 3;
    }

    /** Returns a script with the statements for a front lock, and the given statement. */
    public static String inFrontOf(String sql, String row, boolean marked) {
        return look(row) + ';' + (marked ? MARK + ';' + SQL + ';' + UNMARK : SQL) + ';' + sql;
    }

    /** Returns the wait for the front lock. Skips the results that precede the result of the caller's statement. */
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
     * Whether the front lock, and not the caller's statement, caused the error that has aborted the transaction. If so,
     * the savepoint exists, and this method rolls back to the savepoint.
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
     * have ended the wait. This check is used in autocommit, where savepoints are impossible. If the answer of the
     * server arrives late, the error is attributed to the session's own lock_timeout.
     *
     * @param lockTimeout the value of {@link #LOCK_TIMEOUT_MILLIS}
     */
    public static boolean isWithin(String lockTimeout, long tookNanos) {
        long millis = Long.parseLong(lockTimeout);
        return millis == 0 || tookNanos < TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /**
     * Returns the time of the wait for the front lock.
     *
     * @return the nanoseconds; -1 if no front lock was acquired
     */
    public static long waitedNanos(ResultSet row) throws SQLException {
        return row.next() ? (long) (row.getDouble(2) * TimeUnit.SECONDS.toNanos(1)) : -1;
    }

    /**
     * Returns the key of the front lock of a row. The key is the same in every JVM. All bits of the key are mixed, so
     * that the key rarely equals an advisory key of another application. Different names of a table give different
     * keys, and rows with the same hash share a key. Both cases affect only speed.
     */
    public static long key(@Nullable String searchPath, String table, List<String> id) {
        long place = 31L * Objects.hashCode(searchPath) + table.hashCode();
        long hash = place << Integer.SIZE ^ id.hashCode() ^ SALT;
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return hash ^ hash >>> 33;
    }
}
