package org.rowlock.internal.sql;

import org.rowlock.internal.text.CatalogSql;

/**
 * The statements before and after a COMMIT with early release of the locks. The statement before the COMMIT stores the
 * level of {@code synchronous_commit} at which a plain COMMIT would have waited, and sets the level to off. The
 * statement after the COMMIT is a second transaction, which waits at the stored level. The WAL of the second
 * transaction follows the WAL of the first, so this wait covers both transactions.
 *
 * <p>The level is stored in a setting of the session, because the effect of {@code set local} would end with the
 * COMMIT. The setting keeps the level if and only if the COMMIT was executed.
 *
 * @param confirm the statement after the COMMIT, which waits at the stored level; its first column is the stored value
 * @param confirmReads the statement before a COMMIT without early release. The COMMIT then waits until all changes that
 *     its transaction may have read are durable
 */
public record ReleaseSql(String confirm, String confirmReads) {
    private static final String LEVEL = "pg_catalog.current_setting('synchronous_commit')";

    /**
     * The statement before the COMMIT. The parameter is a mark that identifies the transaction. The first column is the
     * stored value: the mark, a space, and the level.
     */
    public static final String KEEP = "select pg_catalog.set_config('rowlock.commit', cast(? as pg_catalog.text)"
            + " || ' ' || " + LEVEL + ", false), pg_catalog.set_config('synchronous_commit', 'off', true)";

    /** A query for the value that {@link #KEEP} has stored, and for the process id of the session. */
    public static final String KEPT =
            "select pg_catalog.current_setting('rowlock.commit', true), pg_catalog.pg_backend_pid()";

    public static final int MARK_LENGTH = 16;

    private static final String SIGNATURE = "'pg_catalog.pg_logical_emit_message(boolean,text,text";
    private static final String FLUSHING = "pg_catalog.to_regprocedure(" + SIGNATURE + ",boolean)')";

    private static final String MAY_EXECUTE =
            "(select pg_catalog.bool_and(pg_catalog.has_function_privilege('pg_catalog.' || f, 'execute'))"
                    + " from pg_catalog.unnest(array['set_config(pg_catalog.text, pg_catalog.text, boolean)',"
                    + " 'current_setting(pg_catalog.text)', 'current_setting(pg_catalog.text, boolean)',"
                    + " 'pg_current_xact_id_if_assigned()', 'pg_current_wal_insert_lsn()',"
                    + " 'pg_current_wal_flush_lsn()', 'pg_backend_pid()', 'substr(pg_catalog.text, integer)']) as f)";

    /**
     * A query with two columns. The first column is the reason why the server or the role does not support early
     * release, or null. The second column says whether a logical message can flush the WAL without a transaction.
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
     * Returns the SQL for a server.
     *
     * @param flushing whether a logical message can flush the WAL without a transaction, as in PostgreSQL 17 and later;
     *     such a message does not wait for a standby
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
     * Returns an expression that emits a logical message, and thereby makes COMMIT wait. COMMIT waits for the disk and
     * the standby only if its transaction has a transaction id (xid) and has written WAL. A message gives the
     * transaction an xid and WAL. An xid alone does not suffice, because writes to unlogged tables produce no WAL.
     *
     * <p>No message is emitted at the level off, or on a standby. If a transaction has no xid and does not wait for a
     * standby, a message is emitted only if some WAL is not on disk. From PostgreSQL 17 on, this message itself flushes
     * the WAL, without a transaction.
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

    /** Makes the COMMIT of the current transaction wait at the given level of {@code synchronous_commit}. */
    public static String confirmAt(String level) {
        return "select pg_catalog.set_config('synchronous_commit', '" + level.replaceAll("[^a-z_]", "") + "', true),"
                + " pg_catalog.pg_logical_emit_message(true, 'rowlock', '')";
    }
}
