package org.rowlock.jmh.bench;

import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.RowlockDataSource;

/** Wraps a DataSource with lock-jdbc. */
public final class DropInPool {
    /** The value for connections without lock-jdbc. */
    static final String PLAIN = "plain";

    /**
     * The logger whose line at the start would interrupt the progress of every measurement. The field keeps it, because
     * the log manager refers to loggers weakly.
     */
    private static final Logger LOG = Logger.getLogger("org.rowlock");

    private DropInPool() {}

    public static RowlockDataSource of(DataSource connections, String mode, int group) {
        return builder(connections, mode).largestGroup(group).build();
    }

    /**
     * Creates a drop-in that sends the last writes of a transaction with its COMMIT, if Spring and Hibernate make them.
     */
    public static RowlockDataSource flushing(DataSource connections, String mode) {
        return builder(connections, mode).flushWithCommit(true).build();
    }

    private static RowlockDataSource.Builder builder(DataSource connections, String mode) {
        LOG.setLevel(Level.WARNING);
        return RowlockDataSource.builder(connections).mode(DropInMode.valueOf(mode.toUpperCase(Locale.ROOT)));
    }
}
