package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.GroupRule;

/** What is sent in the transaction of several callers beside what is theirs. */
public final class GroupSql {
    private static final String REFUSED = "group ";

    private static final String READ_COMMITTED = LockCheckSql.ISOLATION + " in ('read committed', 'read uncommitted')";

    private static final String SESSION = GroupRule.SESSION + " is not distinct from cast(? as pg_catalog.text)";

    /** An expression: what {@link #CHECK} compares; empty if the session was altered. */
    public static final String LOOK =
            "case when " + GroupRule.UNALTERED + " then " + GroupRule.SESSION + " else '' end";

    /**
     * The query of a member that has a session of its own: its server and what a write may depend on; no row above READ
     * COMMITTED, and if it was altered.
     */
    public static final String LOOK_AT_MEMBER = "select pg_catalog.concat_ws(' ', pg_catalog.current_database(),"
            + " pg_catalog.inet_server_addr(), pg_catalog.inet_server_port(), pg_catalog.pg_postmaster_start_time(), "
            + GroupRule.SESSION + ") where " + GroupRule.UNALTERED + " and " + READ_COMMITTED;

    /**
     * The last statement in front of the COMMIT: raises an error where the session or a table makes of one statement
     * several, and above READ COMMITTED, where a caller is promised a snapshot of its own. Its parameters are what
     * {@link #LOOK} has said, the two of the tables, {@link LockCheckSql#mark}, and the first again.
     */
    public static final String CHECK = "select case when " + READ_COMMITTED + " and " + SESSION + " and "
            + GroupRule.VERSIONS + " then '' else "
            + LockCheckSql.raise("'" + REFUSED + "' || case when not " + READ_COMMITTED
                    + " then 'isolation level' when not " + SESSION + " then 'session' else 'table' end")
            + " end";

    /** What {@link #refusal} begins with if a member has taken the row from those behind it. */
    public static final String ROW = "row ";

    private GroupSql() {}

    /**
     * The statement in front of {@link #CHECK} where the row is required: raises an error if the row is not there any
     * more, by its id or in its view, as those behind the change would not have found it. Its parameters are those of
     * the look, and {@link LockCheckSql#mark}.
     */
    public static String requires(String look) {
        return "select case when exists (" + look + ") then '' else "
                + LockCheckSql.raise("'" + REFUSED + ROW + "' || " + LockCheckSql.ISOLATION) + " end";
    }

    /** What makes that the transaction may not be that of several callers; null if an error does not say that. */
    public static @Nullable String refusal(@Nullable String message) {
        String marked = LockCheckSql.marked(message);
        if (marked == null || !marked.startsWith(REFUSED)) {
            return null;
        }
        int end = marked.indexOf('"');
        return marked.substring(REFUSED.length(), end < 0 ? marked.length() : end);
    }
}
