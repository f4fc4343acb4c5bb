package org.rowlock.internal.sql;

import org.jspecify.annotations.Nullable;

/** What is sent in the transaction of several callers beside what is theirs. */
public final class GroupSql {
    /**
     * Behind the writes of the first: what they have deferred is checked here, and what others would defer, at once.
     * Where that is too early the group is undone.
     */
    public static final String CONSTRAINTS = "set constraints all immediate";

    private static final String REFUSED = "group ";

    private static final String READ_COMMITTED = GuardSql.ISOLATION + " in ('read committed', 'read uncommitted')";

    /** Of the tables that the transaction has used. Only asked where there are policies, as to list locks is dear. */
    private static final String NO_POLICY =
            " and (not exists (select from pg_catalog.pg_policy) or not exists (select from"
                    + " pg_catalog.pg_locks as l join pg_catalog.pg_class as c on c.oid = l.relation"
                    + " where l.pid = pg_catalog.pg_backend_pid() and c.relrowsecurity))";

    /**
     * The same of deferred triggers of the user's: behind {@link #CONSTRAINTS} they would see one statement of their
     * call, and not what is stored in the end.
     */
    private static final String NO_DEFERRED_TRIGGER =
            " and (not exists (select from pg_catalog.pg_trigger as t where t.tginitdeferred and not t.tgisinternal)"
                    + " or not exists (select from pg_catalog.pg_locks as l join pg_catalog.pg_trigger as t"
                    + " on t.tgrelid = l.relation where l.pid = pg_catalog.pg_backend_pid()"
                    + " and t.tginitdeferred and not t.tgisinternal))";

    private static final String TABLE_IS_OPEN =
            " and not exists (select from pg_catalog.pg_class as c where c.relrowsecurity"
                    + " and c.oid = cast(nullif(cast(? as pg_catalog.text), '') as pg_catalog.regclass))";

    /**
     * The last statement in front of the COMMIT: raises an error where row security makes of one statement several, by
     * the role that runs it, where a trigger is deferred, and above READ COMMITTED, where a caller is promised a
     * snapshot of its own. Its parameters are the table of the key, empty if it is of none, and {@link GuardSql#mark}.
     */
    public static final String CHECK = "select case when " + READ_COMMITTED + NO_POLICY + NO_DEFERRED_TRIGGER
            + TABLE_IS_OPEN + " then '' else " + GuardSql.raise("'" + REFUSED + "' || " + GuardSql.ISOLATION) + " end";

    private GroupSql() {}

    /** Whether an error says that the transaction may not be that of several callers. */
    public static boolean isRefusal(@Nullable String message) {
        String marked = GuardSql.marked(message);
        return marked != null && marked.startsWith(REFUSED);
    }
}
