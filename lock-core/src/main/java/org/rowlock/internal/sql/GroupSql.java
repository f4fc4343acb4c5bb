package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.GroupRule;

/** The statements of Rowlock's own in a transaction of several callers. */
public final class GroupSql {
    private static final String REFUSED = "group ";

    private static final String READ_COMMITTED = LockCheckSql.ISOLATION + " in ('read committed', 'read uncommitted')";

    private static final String SESSION = GroupRule.SESSION + " is not distinct from cast(? as pg_catalog.text)";

    /** An expression for the value that {@link #CHECK} compares; empty if the session was altered. */
    public static final String LOOK =
            "case when " + GroupRule.UNALTERED + " then " + GroupRule.SESSION + " else '' end";

    /**
     * A query for a member with a session of its own. It returns its server and the settings that a write may depend
     * on. It returns no row above READ COMMITTED, or if the session was altered.
     */
    public static final String LOOK_AT_MEMBER = "select pg_catalog.concat_ws(' ', pg_catalog.current_database(),"
            + " pg_catalog.inet_server_addr(), pg_catalog.inet_server_port(), pg_catalog.pg_postmaster_start_time(), "
            + GroupRule.SESSION + ") where " + GroupRule.UNALTERED + " and " + READ_COMMITTED;

    /**
     * The last statement in front of the COMMIT. It raises an error if the session or a table prevents sharing. It also
     * does so above READ COMMITTED, where each caller is promised a snapshot of its own. Its parameters are the value
     * of {@link #LOOK}, the two of the tables, {@link LockCheckSql#mark}, and the first again.
     */
    public static final String CHECK = "select case when " + READ_COMMITTED + " and " + SESSION + " and "
            + GroupRule.VERSIONS + " then '' else "
            + LockCheckSql.raise("'" + REFUSED + "' || case when not " + READ_COMMITTED
                    + " then 'isolation level' when not " + SESSION + " then 'session' else 'table' end")
            + " end";

    /** The beginning of {@link #refusal} if a member has removed the row that those behind it require. */
    public static final String ROW = "row ";

    private GroupSql() {}

    /**
     * Returns the statement in front of {@link #CHECK} for a required row. It raises an error if the row no longer
     * exists, by its id or in its view, because later members would not have found it. Its parameters are those of the
     * look-up, and {@link LockCheckSql#mark}.
     */
    public static String requires(String look) {
        return "select case when exists (" + look + ") then '' else "
                + LockCheckSql.raise("'" + REFUSED + ROW + "' || " + LockCheckSql.ISOLATION) + " end";
    }

    /** Returns why the transaction must not be shared by several callers; null if the error has another reason. */
    public static @Nullable String refusal(@Nullable String message) {
        String marked = LockCheckSql.marked(message);
        if (marked == null || !marked.startsWith(REFUSED)) {
            return null;
        }
        int end = marked.indexOf('"');
        return marked.substring(REFUSED.length(), end < 0 ? marked.length() : end);
    }
}
