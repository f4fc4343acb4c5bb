package org.rowlock.jmh.bench;

import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.rowlock.jdbc.RowlockDataSource;

public final class DropInPool {
    static final String PLAIN = "plain";

    /**
     * The logger of the drop-in, whose first message would interrupt the progress display. The field keeps the logger
     * alive, because the log manager holds only weak references.
     */
    private static final Logger LOG = Logger.getLogger("org.rowlock");

    private DropInPool() {}

    public static RowlockDataSource of(DataSource connections, String mode, int group) {
        return wrap(connections, mode, "largestGroup", Integer.toString(group));
    }

    /** Creates a drop-in that sends the last writes of a Spring and Hibernate transaction together with its COMMIT. */
    public static RowlockDataSource flushing(DataSource connections, String mode) {
        return wrap(connections, mode, "flushWithCommit", "true");
    }

    private static RowlockDataSource wrap(DataSource connections, String mode, String key, String word) {
        LOG.setLevel(Level.WARNING);
        return RowlockDataSource.wrap(connections, "benchmark", Map.of("mode", mode, key, word));
    }
}
