package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.GroupRule;

/** Rowlock's own statements in a transaction that several callers share (a group). */
public final class GroupSql {
    private static final String REFUSED = "group ";

    private static final String SESSION = GroupRule.SESSION + " is not distinct from cast(? as pg_catalog.text)";

    /** An expression for the value that {@link #CHECK} compares; empty if the session was altered. */
    public static final String SESSION_VALUE =
            "case when " + GroupRule.UNALTERED + " then " + GroupRule.SESSION + " else '' end";

    /**
     * The check after the writes of a group. The check raises an error if the session, a table or the isolation level
     * does not allow a shared transaction. Only READ COMMITTED is allowed. The parameters are the value of {@link
     * #SESSION_VALUE}, the names and versions of the tables, {@link LockCheckSql#mark}, and the value of {@link
     * #SESSION_VALUE} again.
     */
    public static final String CHECK = "select case when " + GroupRule.READ_COMMITTED + " and " + SESSION + " and "
            + GroupRule.VERSIONS + " then '' else "
            + LockCheckSql.raise("'" + REFUSED + "' || case when not " + GroupRule.READ_COMMITTED
                    + " then 'isolation level' when not " + SESSION + " then 'session' else 'table' end")
            + " end";

    /**
     * The statement before the writes of a group if the callers have limited their waits. The bound also limits the
     * waits of the writes, because one caller's write may wait for a lock that the other callers do not need. The
     * parameter is the bound in milliseconds. A shorter lock_timeout of the session still applies.
     */
    public static final String BOUND =
            "select pg_catalog.set_config('rowlock.lock_timeout', pg_catalog.current_setting('lock_timeout'), true),"
                    + " pg_catalog.set_config('lock_timeout', (least(nullif(" + FrontSql.LOCK_TIMEOUT_MILLIS
                    + ", 0), cast(? as bigint)))::pg_catalog.text, true)";

    /** The statement after the writes, which restores the lock_timeout that {@link #BOUND} has changed. */
    public static final String UNBOUND = WaitSql.RESTORE.sql();

    /**
     * The beginning of the {@link #refusal} if the write of one caller has removed a row that other callers require.
     */
    public static final String ROW = "row ";

    private GroupSql() {}

    /**
     * Returns a statement that precedes {@link #CHECK}, and raises an error if a query no longer finds the locked row.
     * The error refuses the group, because a write of the group has removed the row. In separate transactions, the
     * later callers would not have found the row. The parameters are the parameters of the query, and {@link
     * LockCheckSql#mark}.
     *
     * @param look the query that finds the locked row
     */
    public static String requires(String look) {
        return "select case when exists (" + look + ") then '' else "
                + LockCheckSql.raise("'" + REFUSED + ROW + "' || " + LockCheckSql.ISOLATION) + " end";
    }

    /** Returns the reason why the server has refused a group; null if the error has another cause. */
    public static @Nullable String refusal(@Nullable String message) {
        String marked = LockCheckSql.marked(message);
        if (marked == null || !marked.startsWith(REFUSED)) {
            return null;
        }
        int end = marked.indexOf('"');
        return marked.substring(REFUSED.length(), end < 0 ? marked.length() : end);
    }
}
