package org.rowlock.internal.sql;

import org.rowlock.internal.text.CatalogSql;

/**
 * The statements around a COMMIT that lets go of the locks before it is durable: one in front that keeps how the
 * transaction was to wait, and one behind, in a transaction of its own and later in the WAL, that waits so. What is
 * kept is a setting of the session, as what {@code set local} made is gone behind the COMMIT; and it is there if and
 * only if the COMMIT was done.
 *
 * @param confirm behind COMMIT, in a transaction of its own: waits as was kept. The first column is what was kept
 * @param confirmReads in front of a plain COMMIT, or alone in autocommit: has it wait for what may have been read, too,
 *     whatever was written
 */
public record ReleaseSql(String confirm, String confirmReads) {
    private static final String LEVEL = "pg_catalog.current_setting('synchronous_commit')";

    /** In front of COMMIT. Its parameter is a mark; the first column is what is kept: the mark, a space, the level. */
    public static final String KEEP = "select pg_catalog.set_config('rowlock.commit', cast(? as pg_catalog.text)"
            + " || ' ' || " + LEVEL + ", false), pg_catalog.set_config('synchronous_commit', 'off', true)";

    /** What is kept, and which server process says so. */
    public static final String KEPT =
            "select pg_catalog.current_setting('rowlock.commit', true), pg_catalog.pg_backend_pid()";

    public static final int MARK_LENGTH = 16;

    private static final String SIGNATURE = "'pg_catalog.pg_logical_emit_message(boolean,text,text";
    private static final String FLUSHING = "pg_catalog.to_regprocedure(" + SIGNATURE + ",boolean)')";

    /** Whether the role may execute {@code f}, each of those of the statements below. */
    private static final String MAY_EXECUTE =
            "(select pg_catalog.bool_and(pg_catalog.has_function_privilege('pg_catalog.' || f, 'execute'))"
                    + " from pg_catalog.unnest(array['set_config(pg_catalog.text, pg_catalog.text, boolean)',"
                    + " 'current_setting(pg_catalog.text)', 'current_setting(pg_catalog.text, boolean)',"
                    + " 'pg_current_xact_id_if_assigned()', 'pg_current_wal_insert_lsn()',"
                    + " 'pg_current_wal_flush_lsn()', 'pg_backend_pid()', 'substr(pg_catalog.text, integer)']) as f)";

    /** Why the server or the role cannot do it, or null; and whether a message can flush without a transaction. */
    public static final String ASK = "select case"
            + " when pg_catalog.version() !~ '^PostgreSQL [0-9]' or pg_catalog.version() ~ '-YB-'"
            + " or pg_catalog.to_regproc('pg_catalog.aurora_version') is not null then 'it is not PostgreSQL itself'"
            + " when pg_catalog.pg_is_in_recovery() then 'it is a standby'"
            + " when exists (select from pg_catalog.pg_extension where extname in " + CatalogSql.OF_SEVERAL_MACHINES
            + ") then 'it is one of several machines'"
            + " when not " + MAY_EXECUTE + " then 'the role may not execute what keeps how to wait, such as set_config'"
            + " when pg_catalog.has_function_privilege(coalesce(" + FLUSHING + ", pg_catalog.to_regprocedure("
            + SIGNATURE
            + ")')), 'execute') then null"
            + " else 'the role may not execute pg_logical_emit_message' end, " + FLUSHING + " is not null";

    /**
     * The statements for a server.
     *
     * @param flushing whether a message can flush without a transaction, as from PostgreSQL 17 on. It waits for no
     *     standby
     */
    public static ReleaseSql of(boolean flushing) {
        String kept = " from (select kept, pg_catalog.substr(kept, " + (MARK_LENGTH + 2) + ") as level"
                + " from pg_catalog.current_setting('rowlock.commit', true) as kept offset 0) as c";
        return new ReleaseSql(
                "select c.kept, pg_catalog.set_config('synchronous_commit', c.level, true), "
                        + emit(flushing, "c.level") + kept,
                "select " + emit(flushing, LEVEL));
    }

    /**
     * COMMIT waits for the disk and the standby only where its transaction has both an xid and WAL of its own, and an
     * xid is no proof of WAL: unlogged tables have none. A message gives it both. Without an xid no deferred trigger
     * reads on behind this, so where only the disk counts, and has all WAL by now, there is nothing to wait for.
     */
    private static String emit(boolean flushing, String level) {
        String message = "pg_catalog.pg_logical_emit_message(";
        String commits = message + "true, 'rowlock', '')";
        return "case when " + level + " = 'off' or pg_catalog.pg_is_in_recovery() then null"
                + " when pg_catalog.pg_current_xact_id_if_assigned() is null and (" + level
                + " = 'local' or pg_catalog.current_setting('synchronous_standby_names') = '')"
                + " then case when pg_catalog.pg_current_wal_insert_lsn() > pg_catalog.pg_current_wal_flush_lsn() then "
                + (flushing ? message + "false, 'rowlock', '', true)" : commits) + " end else " + commits + " end";
    }

    /** The statements to wait as a level says, in the transaction that has begun, at its COMMIT. */
    public static String confirmAt(String level) {
        return "select pg_catalog.set_config('synchronous_commit', '" + level.replaceAll("[^a-z_]", "") + "', true),"
                + " pg_catalog.pg_logical_emit_message(true, 'rowlock', '')";
    }
}
