package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import org.rowlock.LockVerificationException;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.CatalogSql;

/** Databases of several machines, known by their extension since they call themselves PostgreSQL. */
final class ServerExtensions {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final String INSTALLED = "select extname from pg_catalog.pg_extension where extname in "
            + CatalogSql.OF_SEVERAL_MACHINES + " order by 1 limit 1";

    /** Workers; the coordinator is group 0. From Citus 11 on every one of them takes clients. */
    private static final String WORKERS = "select count(*) from pg_dist_node where groupid <> 0";

    private ServerExtensions() {}

    /**
     * Refuses strategy ADVISORY where machines lock for themselves.
     *
     * @throws LockVerificationException if it is used and the application does not say that it enters by one machine
     */
    static void verify(Probe probe, KnownTables tables, boolean singleEntryNode) throws SQLException {
        String extension = probe.readAlone(INSTALLED);
        if ("citus".equals(extension)) {
            if ("t".equals(probe.readAlone("select " + CatalogSql.IS_CITUS))) {
                tables.idColumns().foundCitus(PgSession.of(probe.connection()));
            }
            if ("0".equals(probe.readAlone(WORKERS))) {
                return;
            }
        }
        if (extension == null || singleEntryNode) {
            return;
        }
        String why = "The database is one of several machines, by its extension " + extension
                + ", and an advisory lock of one machine excludes nobody on another";
        if (tables.config().isAnyTableAdvisory()) {
            throw Verdicts.wrong(why + ". Let every client enter by one machine and say so with"
                    + " RowLocks.builder().singleEntryNode(true) (with Spring Boot rowlock.single-entry-node=true),"
                    + " and use strategy BOTH.");
        }
        LOG.log(Level.WARNING, why + ": keys that are names or numbers exclude only those who enter by the same.");
    }
}
