package org.rowlock.jmh.profile;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Samples pg_stat_activity in a separate thread, and counts the wait events of the database's sessions. {@code
 * Client:ClientRead} means a session that is idle in a transaction, and {@code CPU} a session without a wait event.
 * Idle sessions outside transactions are ignored.
 */
final class WaitSampler implements AutoCloseable {
    private static final String RUNNING = "CPU";

    private static final long INTERVAL_MILLIS = 50;

    private static final String QUERY = """
            select coalesce(wait_event_type || ':' || wait_event, '%s'), count(*)
              from pg_stat_activity
             where datname = current_database()
               and backend_type = 'client backend'
               and pid <> pg_backend_pid()
               and state <> 'idle'
             group by 1
            """.formatted(RUNNING);

    private final Connection connection;
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(this::sample, "rowlock-jmh-wait-sampler");
    private final Map<String, Long> counts = new TreeMap<>();
    private final AtomicLong samples = new AtomicLong();
    private @Nullable SQLException failure;

    private WaitSampler(Connection connection) {
        this.connection = connection;
    }

    /** Starts sampling. The sampler closes the connection at the end. */
    static WaitSampler start(Connection connection) {
        WaitSampler sampler = new WaitSampler(connection);
        sampler.thread.setDaemon(true);
        sampler.thread.start();
        return sampler;
    }

    private void sample() {
        try (connection;
                PreparedStatement statement = connection.prepareStatement(QUERY)) {
            do {
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        counts.merge(rows.getString(1), rows.getLong(2), Long::sum);
                    }
                }
                samples.incrementAndGet();
            } while (!end.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS));
        } catch (SQLException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops sampling, and returns the average number of sessions by wait event. */
    Map<String, Double> stop() throws SQLException {
        close();
        if (failure != null) {
            throw failure;
        }
        Map<String, Double> averages = new TreeMap<>();
        counts.forEach((event, count) -> averages.put(event, (double) count / Math.max(1, samples.get())));
        return averages;
    }

    long samples() {
        return samples.get();
    }

    @Override
    public void close() {
        end.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
