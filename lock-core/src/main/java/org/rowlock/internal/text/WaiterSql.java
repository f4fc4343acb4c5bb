package org.rowlock.internal.text;

import java.sql.BatchUpdateException;

/** The SQL that counts the sessions that wait for rows, and the comment by which it recognizes clients with Rowlock. */
public final class WaiterSql {
    /** The word in the text of each statement with which a client with Rowlock waits for a row. */
    private static final String WORD = "rowlock";

    private static final String COMMENT = " /* " + WORD + " */";

    /**
     * A query: how many clients without Rowlock wait for the most contended row of a table. The parameter is the name
     * of the table. A row is locked in its partition, so the query treats all partitions of a partitioned table as one
     * table.
     *
     * <p>The server shows the statement of each waiting session. A session whose statement contains {@link #WORD}
     * belongs to a client with Rowlock. If the server has shortened the statement, does not track statements, or hides
     * the session from the role, the session is not counted.
     *
     * <p>Transactions that wait for the holder of a row form a queue for the lock on the tuple. The first of them waits
     * for the xid of the holder, and so does each transaction that finds a new version of the row. Prepared
     * transactions have no pid and do not wait, so the query ignores their locks.
     */
    public static final String WITHOUT_ROWLOCK =
            "with l as (select * from pg_catalog.pg_locks where pid is not null and (database is null"
                    + " or database = (select oid from pg_catalog.pg_database"
                    + " where datname = pg_catalog.current_database()))),"
                    + " named as (select " + CatalogSql.root("n.relation") + " as root"
                    + " from (select pg_catalog.to_regclass(cast(? as pg_catalog.text)) as relation) as n)"
                    + " select coalesce(pg_catalog.max(w.waiters) filter (where w.locktype = 'tuple'), 0)"
                    + " + coalesce(pg_catalog.max(w.waiters) filter (where w.locktype = 'transactionid'), 0) from ("
                    + "select l.locktype, pg_catalog.count(*) as waiters from l where not l.granted"
                    + " and (l.locktype = 'tuple' and l.mode in ('ExclusiveLock', 'AccessExclusiveLock')"
                    + " and " + CatalogSql.root("l.relation") + " = (select root from named)"
                    + " or l.locktype = 'transactionid' and not l.pid = any (array(select t.pid from l as t"
                    + " where t.locktype = 'tuple')))"
                    + " and l.pid = any (array(select r.pid from l as r where r.locktype = 'relation'"
                    + " and r.mode in ('RowShareLock', 'RowExclusiveLock')"
                    + " and " + CatalogSql.root("r.relation") + " = (select root from named)))"
                    + " and l.pid = any (array(select a.pid from pg_catalog.pg_stat_activity as a"
                    + " where a.wait_event_type = 'Lock' and a.query not like '%" + WORD + "%'"
                    // The server cuts a text at a character of up to four bytes.
                    + " and pg_catalog.octet_length(a.query) between 1 and (select s.setting::integer - 5"
                    + " from pg_catalog.pg_settings as s where s.name = 'track_activity_query_size')))"
                    + " group by l.locktype, l.relation, l.page, l.tuple, l.transactionid) as w";

    /**
     * A query: how many sessions, with or without Rowlock, wait for rows of a table or for front locks. The parameter
     * is the name of the table. The query is simple, because all JVMs of a fleet ask soon after their start: without
     * cached plans and catalogs, {@link #WITHOUT_ROWLOCK} takes about three times as long.
     */
    public static final String WAITERS = "select pg_catalog.count(*) from pg_catalog.pg_locks as l where not l.granted"
            + " and (l.locktype in ('tuple', 'transactionid') or l.locktype = 'advisory'"
            + " and exists (select from pg_catalog.pg_stat_get_activity(l.pid) as a where a.query like '"
            // The server hides the statement from some roles, or does not track statements.
            + FrontSql.FRONT_COMMENT + "%' or a.query in ('', '<insufficient privilege>')))"
            + " and l.pid = any (array(select r.pid from pg_catalog.pg_locks as r where r.locktype = 'relation'"
            + " and r.relation = pg_catalog.to_regclass(cast(? as pg_catalog.text)) and r.database = (select d.oid"
            + " from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())))";

    private WaiterSql() {}

    /** Returns a statement of the application with a comment that contains {@link #WORD}. */
    public static String commented(String sql) {
        int end = sql.indexOf(';');
        if (end < 0) {
            return sql + COMMENT;
        }
        // To the driver, a comment after a semicolon would be a further statement.
        return sql.substring(end + 1).isBlank() ? sql.substring(0, end) + COMMENT + sql.substring(end) : sql;
    }

    /** Returns a text of the driver without the comment. */
    public static String uncommented(String text) {
        return text.replace(COMMENT, "");
    }

    /** Returns an exception whose message, which contains the text of a statement, lacks the comment. */
    public static BatchUpdateException uncommented(BatchUpdateException e) {
        String message = String.valueOf(e.getMessage());
        if (!message.contains(COMMENT)) {
            return e;
        }
        BatchUpdateException own = new BatchUpdateException(
                uncommented(message), e.getSQLState(), e.getErrorCode(), e.getLargeUpdateCounts(), e.getCause());
        own.setStackTrace(e.getStackTrace());
        own.setNextException(e.getNextException());
        return own;
    }
}
