package org.rowlock.internal.session;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.rowlock.internal.text.Docs;

/** Logs a warning, once for each database URL, if Rowlock was not tested with the server's version. */
public final class ServerVersions {
    /** The newest major version with which Rowlock was tested. */
    private static final int NEWEST = 19;

    /** The first untested version, as in server_version_num. */
    public static final int UNKNOWN = (NEWEST + 1) * 10_000;

    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final int MOST_KEPT = 1_000;

    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private ServerVersions() {}

    public static void warn(String version, String url) {
        if (WARNED.size() < MOST_KEPT && WARNED.add(url)) {
            LOG.log(
                    Level.WARNING,
                    "The server is PostgreSQL {0}, and this release of Rowlock was tested with versions up to {1}."
                            + " Call RowLocks.verify() at startup, which tries every form of lock, and check for a"
                            + " newer release: {2}",
                    version,
                    NEWEST,
                    Docs.URL + "where-it-holds.md#versions");
        }
    }
}
