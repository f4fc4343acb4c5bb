package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockVerificationException;

/**
 * Databases of several machines, known by their extension since they call themselves PostgreSQL: an advisory lock of one
 * machine excludes nobody on another.
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

    private static final String SETTINGS = "select current_setting('citus.task_assignment_policy', true),"
            + " current_setting('citus.enable_local_execution', true)";

    private final boolean singleEntryNode;
    private final boolean anyTableAdvisory;

    ServerExtensions(boolean singleEntryNode, boolean anyTableAdvisory) {
        this.singleEntryNode = singleEntryNode;
        this.anyTableAdvisory = anyTableAdvisory;
    }

    /**
     * Refuses strategy ADVISORY where machines lock for themselves.
     *
     * @throws LockVerificationException if it is used and the application does not say that it enters by one machine
     */
    void verify(Probe probe) throws SQLException {
        String extension = first(probe, INSTALLED);
        if (extension == null) {
            return;
        }
        boolean citus = extension.equals(CITUS);
        if (citus && "0".equals(first(probe, WORKERS))) {
            return;
        }
        String name = KNOWN.getOrDefault(extension, extension);
        if (!singleEntryNode) {
            String why = "The database is one of several machines (" + name + ", by its extension " + extension
                    + "), and an advisory lock of one machine excludes nobody on another";
            if (anyTableAdvisory) {
                throw new LockVerificationException(
                        why + ". Let every client enter by one machine and say so with"
                                + " RowLocks.builder().singleEntryNode(true) (with Spring Boot rowlock.single-entry-node=true),"
                                + " and use strategy BOTH.",
                        null);
            }
            LOG.log(Level.WARNING, why + ": keys that are names or numbers exclude only those who enter by the same.");
        } else if (citus && anyTableAdvisory) {
            verifySettings(probe);
        }
    }

    /** The lock statement names the table, and so Citus may run it, lock and all, on a machine of its choice. */
    private static void verifySettings(Probe probe) throws SQLException {
        List<@Nullable String> settings = probe.read(SETTINGS);
        probe.rollback();
        if ("round-robin".equals(settings.get(0)) || "off".equals(settings.get(1))) {
            throw new LockVerificationException(
                    "Citus may take an advisory lock on any of its machines with citus.task_assignment_policy = "
                            + settings.get(0) + " and citus.enable_local_execution = " + settings.get(1)
                            + ", also for clients of one coordinator. Use strategy BOTH, or set greedy and on.",
                    null);
        }
    }

    private static @Nullable String first(Probe probe, String sql) throws SQLException {
        List<@Nullable String> columns = probe.read(sql);
        probe.rollback();
        return columns.isEmpty() ? null : columns.get(0);
    }
}
