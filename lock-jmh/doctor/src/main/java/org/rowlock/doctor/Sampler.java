package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.RowWait.Row;

/** Takes samples at a steady pace. */
final class Sampler {
    private static final Duration INTERVAL = Duration.ofMillis(100);

    /**
     * A sample is followed by a pause as long as itself, so that looking is never more than half of one session. Not more: on
     * a server that is short of CPUs a sample takes long by waiting for one, and that is when samples are wanted.
     */
    private static final int PAUSE_FACTOR = 1;

    private final ReadOnlySession session;
    private final RowNames names = new RowNames();

    Sampler(ReadOnlySession session) {
        this.session = session;
    }

    /** One sample at least. */
    Samples sample(Duration duration) throws SQLException, InterruptedException {
        Samples samples = new Samples();
        long began = System.nanoTime();
        while (true) {
            long started = System.nanoTime();
            session.read(connection -> {
                Sample sample = Sample.read(connection);
                samples.add(sample, hotRow(connection, sample));
                return sample;
            });
            long spent = System.nanoTime() - started;
            long pause = Math.max(INTERVAL.toNanos() - spent, PAUSE_FACTOR * spent);
            if (System.nanoTime() - began + pause >= duration.toNanos()) {
                samples.took(Duration.ofNanos(System.nanoTime() - began));
                return samples;
            }
            Thread.sleep(Duration.ofNanos(pause).toMillis());
        }
    }

    private Optional<String> hotRow(Connection connection, Sample sample) throws SQLException {
        @Nullable
        Row row = Samples.longestQueue(sample).map(Sample.RowQueue::row).orElse(null);
        if (row == null) {
            return Optional.empty();
        }
        try {
            return names.find(connection, row);
        } catch (SQLException e) {
            // The table is not ours to read, or somebody alters it. The sample counts all the same.
            connection.rollback();
            names.giveUp(row);
            return Optional.empty();
        }
    }

    RowNames names() {
        return names;
    }
}
