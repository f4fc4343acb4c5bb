package org.rowlock.jmh.bench;

import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockMode;

/** lock-jdbc in front of pools. */
final class Wrappers {
    /** Its line at the start would stand among the progress of every measurement. Kept, as loggers are forgotten. */
    private static final Logger LOG = Logger.getLogger("org.rowlock");

    private Wrappers() {}

    static RowlockDataSource wrap(DataSource pool, String mode) {
        LOG.setLevel(Level.WARNING);
        return RowlockDataSource.builder(pool).mode(RowlockMode.of(mode)).build();
    }
}
