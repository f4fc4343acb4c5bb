package org.rowlock.jmh.bench;

import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.rowlock.LockRelease;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockMode;

/** lock-jdbc in front of connections. */
public final class DropInPool {
    /** In place of a mode: no lock-jdbc. */
    static final String PLAIN = "plain";

    /** Its line at the start would stand among the progress of every measurement. Kept, as loggers are forgotten. */
    private static final Logger LOG = Logger.getLogger("org.rowlock");

    private DropInPool() {}

    public static RowlockDataSource of(DataSource connections, String mode, LockRelease release, int group) {
        LOG.setLevel(Level.WARNING);
        return RowlockDataSource.builder(connections)
                .mode(RowlockMode.valueOf(mode.toUpperCase(Locale.ROOT)))
                .release(release)
                .largestGroup(group)
                .build();
    }
}
