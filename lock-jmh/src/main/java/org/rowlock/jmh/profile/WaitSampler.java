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
 * Looks at pg_stat_activity again and again, in a thread of its own, and counts what the sessions of the database wait
 * for. A session in a transaction that waits for its client is {@code Client:ClientRead}, one that works is
 * {@code CPU}; idle ones do not count.
 */
public final class WaitSampler implements AutoCloseable {
    /** Nothing to wait for: on a processor, or ready to be. */
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
    private final String query;
    private final long intervalMillis;
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(this::sample, "rowlock-jmh-wait-sampler");
    private final Map<String, Long> counts = new TreeMap<>();
    private final AtomicLong samples = new AtomicLong();
    private @Nullable SQLException failure;

    private WaitSampler(Connection connection, String query, long intervalMillis) {
        this.connection = connection;
        this.query = query;
        this.intervalMillis = intervalMillis;
    }

    /** Begins. The connection belongs to the sampler until it is closed. */
    static WaitSampler start(Connection connection) {
        return start(connection, QUERY, INTERVAL_MILLIS);
    }

    /** The same with another query, for wait events and how many sessions are in each. */
    public static WaitSampler start(Connection connection, String query, long intervalMillis) {
        WaitSampler sampler = new WaitSampler(connection, query, intervalMillis);
        sampler.thread.setDaemon(true);
        sampler.thread.start();
        return sampler;
    }

    private void sample() {
        try (connection;
                PreparedStatement statement = connection.prepareStatement(query)) {
            do {
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        counts.merge(rows.getString(1), rows.getLong(2), Long::sum);
                    }
                }
                samples.incrementAndGet();
            } while (!end.await(intervalMillis, TimeUnit.MILLISECONDS));
        } catch (SQLException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends.
     *
     * @return by wait event, how many sessions were in it at a time, on average
     * @throws SQLException if the server could not be asked to the end
     */
    public Map<String, Double> stop() throws SQLException {
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
