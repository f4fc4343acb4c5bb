package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockVerificationException;
import org.rowlock.internal.acquire.LockRequests;
import org.rowlock.internal.session.CitusDatabases;
import org.rowlock.internal.session.PgSession;

/**
 * Databases of several machines, known by their extension since they call themselves PostgreSQL: an advisory lock of
 * one machine excludes nobody on another.
 */
final class ServerExtensions {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final String CITUS = "citus";

    private static final Map<String, String> KNOWN = Map.of(
            CITUS,
            "Citus",
            "bdr",
            "EDB Postgres Distributed",
            "pgactive",
            "pgactive",
            "spock",
            "Spock",
            "shardman",
            "Shardman");

    private static final String INSTALLED = "select extname from pg_catalog.pg_extension where extname in ('"
            + String.join("', '", KNOWN.keySet()) + "') order by 1 limit 1";

    /** Workers; the coordinator is group 0. From Citus 11 on every one of them takes clients. */
    private static final String WORKERS = "select count(*) from pg_dist_node where groupid <> 0";

    private static final String HAS_CITUS = "select " + CitusDatabases.IS_CITUS;

    private ServerExtensions() {}

    /**
     * Refuses strategy ADVISORY where machines lock for themselves.
     *
     * @throws LockVerificationException if it is used and the application does not say that it enters by one machine
     */
    static void verify(Probe probe, LockRequests requests, boolean singleEntryNode) throws SQLException {
        String extension = first(probe, INSTALLED);
        if (extension == null) {
            return;
        }
        if (extension.equals(CITUS)) {
            if ("t".equals(first(probe, HAS_CITUS))) {
                requests.citus().add(PgSession.of(probe.connection()));
            }
            if ("0".equals(first(probe, WORKERS))) {
                return;
            }
        }
        String name = KNOWN.getOrDefault(extension, extension);
        if (!singleEntryNode) {
            String why = "The database is one of several machines (" + name + ", by its extension " + extension
                    + "), and an advisory lock of one machine excludes nobody on another";
            if (requests.config().isAnyTableAdvisory()) {
                throw Verdicts.wrong(why + ". Let every client enter by one machine and say so with"
                        + " RowLocks.builder().singleEntryNode(true) (with Spring Boot"
                        + " rowlock.single-entry-node=true),"
                        + " and use strategy BOTH.");
            }
            LOG.log(Level.WARNING, why + ": keys that are names or numbers exclude only those who enter by the same.");
        }
    }

    private static @Nullable String first(Probe probe, String sql) throws SQLException {
        String value = probe.read(sql);
        probe.rollback();
        return value;
    }
}
