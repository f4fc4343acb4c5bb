package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;

/**
 * The last statement of a group's transaction in front of its COMMIT: raises an error where the transaction may not be that of
 * several callers. Row security makes of one statement several, by who runs it; and above READ COMMITTED a caller is promised a
 * snapshot of its own.
 */
public final class GroupSql {
    /**
     * Behind the writes of the first: what they have deferred is checked here, and what others would defer, at once. Where that
     * is too early the group is undone.
     */
    public static final String CONSTRAINTS = "set constraints all immediate";

    private static final String REFUSED = "group ";

    /**
     * Of the tables that the transaction has used, those with row security. Only asked where there are policies, as to list
     * locks is dear.
     */
    private static final String OF_OTHERS = "(not exists (select from pg_catalog.pg_policy) or not exists (select from"
            + " pg_catalog.pg_locks as l join pg_catalog.pg_class as c on c.oid = l.relation"
            + " where l.pid = pg_catalog.pg_backend_pid() and c.relrowsecurity))";

    private static final String OF_OWN = " and not exists (select from pg_catalog.pg_class as c where c.relrowsecurity"
            + " and c.oid = cast(cast(? as pg_catalog.text) as pg_catalog.regclass))";

    private static final String CHECK = check("");
    private static final String CHECK_TABLE = check(OF_OWN);

    private GroupSql() {}

    private static String check(String ofOwn) {
        return "select case when " + GuardSql.ISOLATION + " in ('read committed', 'read uncommitted') and " + OF_OTHERS
                + ofOwn + " then '' else " + GuardSql.raise("'" + REFUSED + "' || " + GuardSql.ISOLATION) + " end";
    }

    /** The statement; {@link #binds} are its parameters. */
    public static String check(boolean ofTable) {
        return ofTable ? CHECK_TABLE : CHECK;
    }

    /**
     * The parameters.
     *
     * @param table that of the key, or null
     */
    public static Object[] binds(@Nullable String table) {
        return table == null ? new Object[] {GuardSql.mark()} : new Object[] {table, GuardSql.mark()};
    }

    /** Whether an error says that the transaction may not be that of several callers. */
    public static boolean isRefusal(@Nullable String message) {
        String marked = GuardSql.marked(message);
        return marked != null && marked.startsWith(REFUSED);
    }
}
