package org.rowlock.jmh.bench;

import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.RowlockDataSource;

/** Wraps a DataSource with the drop-in, lock-jdbc. */
public final class DropInPool {
    static final String PLAIN = "plain";

    /**
     * The logger of the drop-in, whose first message would interrupt the progress display. The field keeps the logger
     * alive, because the log manager holds only weak references.
     */
    private static final Logger LOG = Logger.getLogger("org.rowlock");

    private DropInPool() {}

    public static RowlockDataSource of(DataSource connections, String mode, int group) {
        return builder(connections, mode).largestGroup(group).build();
    }

    /** Creates a drop-in that sends the last writes of a Spring and Hibernate transaction together with its COMMIT. */
    public static RowlockDataSource flushing(DataSource connections, String mode) {
        return builder(connections, mode).flushWithCommit(true).build();
    }

    private static RowlockDataSource.Builder builder(DataSource connections, String mode) {
        LOG.setLevel(Level.WARNING);
        return RowlockDataSource.builder(connections).mode(DropInMode.valueOf(mode.toUpperCase(Locale.ROOT)));
    }
}
