package org.rowlock.internal.sql;

import org.rowlock.internal.text.CatalogSql;

/**
 * The statements around a COMMIT that releases the locks before it is durable. The statement in front keeps how the
 * transaction should have waited. The statement behind waits in that way, in a transaction of its own and later in the
 * WAL. The level is kept in a setting of the session, because a {@code set local} is gone behind the COMMIT. The
 * setting exists if and only if the COMMIT was done.
 *
 * @param confirm the statement behind COMMIT, in a transaction of its own, which waits as the kept level requires; its
 *     first column is the kept value
 * @param confirmReads the statement in front of a plain COMMIT, or alone in autocommit, which makes it wait for all
 *     that may have been read
 */
public record ReleaseSql(String confirm, String confirmReads) {
    private static final String LEVEL = "pg_catalog.current_setting('synchronous_commit')";

    /**
     * The statement in front of COMMIT. Its parameter is a mark. Its first column is the kept value: the mark, a space,
     * the level.
     */
    public static final String KEEP = "select pg_catalog.set_config('rowlock.commit', cast(? as pg_catalog.text)"
            + " || ' ' || " + LEVEL + ", false), pg_catalog.set_config('synchronous_commit', 'off', true)";

    /** A query for the kept value and the server process that answers. */
    public static final String KEPT =
            "select pg_catalog.current_setting('rowlock.commit', true), pg_catalog.pg_backend_pid()";

    public static final int MARK_LENGTH = 16;

    private static final String SIGNATURE = "'pg_catalog.pg_logical_emit_message(boolean,text,text";
    private static final String FLUSHING = "pg_catalog.to_regprocedure(" + SIGNATURE + ",boolean)')";

    /** A condition: the role may execute every function in the statements below. */
    private static final String MAY_EXECUTE =
            "(select pg_catalog.bool_and(pg_catalog.has_function_privilege('pg_catalog.' || f, 'execute'))"
                    + " from pg_catalog.unnest(array['set_config(pg_catalog.text, pg_catalog.text, boolean)',"
                    + " 'current_setting(pg_catalog.text)', 'current_setting(pg_catalog.text, boolean)',"
                    + " 'pg_current_xact_id_if_assigned()', 'pg_current_wal_insert_lsn()',"
                    + " 'pg_current_wal_flush_lsn()', 'pg_backend_pid()', 'substr(pg_catalog.text, integer)']) as f)";

    /**
     * A query for the reason why the server or the role cannot do it, or null, and whether a message can flush without
     * a transaction.
     */
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
     * Returns the statements for a server.
     *
     * @param flushing whether a message can flush without a transaction, as from PostgreSQL 17 on; such a message waits
     *     for no standby
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
     * Returns a message that makes COMMIT wait. COMMIT waits for the disk and the standby only if its transaction has
     * both an xid and WAL of its own. An xid does not imply WAL, because unlogged tables write none. A message gives
     * the transaction both. Without an xid, no deferred trigger reads after this. If only the disk is required and all
     * WAL is on it, there is nothing to wait for.
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

    /** Returns the statements to wait at a level, in the transaction that has begun, at its COMMIT. */
    public static String confirmAt(String level) {
        return "select pg_catalog.set_config('synchronous_commit', '" + level.replaceAll("[^a-z_]", "") + "', true),"
                + " pg_catalog.pg_logical_emit_message(true, 'rowlock', '')";
    }
}
