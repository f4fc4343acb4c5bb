package org.rowlock.jdbc;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.jdbc.internal.queue.DropIn;
import org.rowlock.jdbc.internal.settings.JdbcSettings;

/** The wrapper with a gate that lets one transaction at a time go to a row, as if every row were the hottest. */
public final class OneAtATime {
    private OneAtATime() {}

    /** In front of a DataSource, with a lock in front wherever it may be, or never. */
    public static RowlockDataSource wrap(DataSource dataSource, LockFront front) {
        JdbcSettings settings =
                new JdbcSettings("one at a time", DropInMode.QUEUE, List.of(), List.of(), front, 1, false);
        long second = Duration.ofSeconds(1).toNanos();
        KeyQueues gate = new KeyQueues(() -> new FixedWidth(1, second), second);
        return new RowlockDataSource(dataSource, new DropIn(settings, gate));
    }
}
