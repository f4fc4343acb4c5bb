package org.rowlock.jdbc;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.LockRelease;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.jdbc.internal.turn.DropIn;
import org.rowlock.jdbc.internal.turn.JdbcSettings;

/** The wrapper with a gate that lets one transaction at a time go to a row, as if every row were the hottest. */
public final class OneAtATime {
    private OneAtATime() {}

    /** In front of a DataSource, in a mode; with front the lock is in front wherever it may be. */
    public static RowlockDataSource wrap(DataSource dataSource, RowlockMode mode) {
        JdbcSettings settings = new JdbcSettings("one at a time", mode, List.of(), List.of(), LockRelease.PLAIN, 1);
        KeyQueues gate = new KeyQueues(
                () -> new QueuePolicy.Fixed(1, true), Duration.ofSeconds(1).toNanos());
        return new RowlockDataSource(dataSource, new DropIn(settings, gate));
    }
}
