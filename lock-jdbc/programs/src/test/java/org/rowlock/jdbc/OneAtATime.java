package org.rowlock.jdbc;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.internal.queue.Gate;
import org.rowlock.jdbc.internal.turn.DropIn;
import org.rowlock.jdbc.internal.turn.JdbcSettings;

/** The wrapper with a gate that lets one transaction at a time go to a row, as if every row were the hottest. */
public final class OneAtATime {
    private OneAtATime() {}

    /** In front of a DataSource. */
    public static RowlockDataSource wrap(DataSource dataSource) {
        JdbcSettings settings = new JdbcSettings("one at a time", RowlockMode.QUEUE, List.of(), List.of());
        return new RowlockDataSource(
                dataSource,
                new DropIn(settings, new Gate(1, Duration.ofSeconds(1).toNanos())));
    }
}
