package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.rowlock.doctor.ServerQuery.Row;

/** Looks at sessions and locks again and again. Not thread-safe. */
final class Sampler {
    static final Duration INTERVAL = Duration.ofMillis(100);

    /** Samples from one look at the whole lock table to the next. */
    private static final int LOCK_TABLE_EVERY = 10;

    private static final int BLOCKERS_EVERY = 5;

    private final ReadOnlySession session;
    private final boolean showKeys;
    private final Map<Long, Optional<String>> keySelects = new HashMap<>();
    private final Set<String> unreadable = new TreeSet<>();

    Sampler(ReadOnlySession session, boolean showKeys) {
        this.session = session;
        this.showKeys = showKeys;
    }

    /**
     * A sample is followed by a pause as long as itself at least, so that looking is never more than half of one
     * session. Not longer: on a server that is short of CPUs a sample takes long by waiting for one, and that is when
     * samples are wanted.
     */
    Samples sample(String database, Predicate<Samples> isEnough) throws SQLException, InterruptedException {
        Samples samples = new Samples();
        while (true) {
            long began = System.nanoTime();
            List<Row> activity = session.read(ServerQuery.ACTIVITY::read);
            session.read(connection -> {
                List<Wait> waits = ServerQuery.WAITS.read(connection).stream()
                        .map(samples::wait)
                        .toList();
                samples.add(database, activity, waits);
                if (showKeys) {
                    addHotRow(connection, samples, waits);
                }
                return waits;
            });
            if (samples.count() % BLOCKERS_EVERY == 1) {
                samples.addBlockers(session.read(ServerQuery.BLOCKERS::read));
            }
            if (samples.count() % LOCK_TABLE_EVERY == 1) {
                session.read(ServerQuery.LOCK_TABLE::read).forEach(samples::add);
            }
            if (isEnough.test(samples)) {
                return samples;
            }
            long spent = System.nanoTime() - began;
            Thread.sleep(Duration.ofNanos(Math.max(INTERVAL.toNanos() - spent, spent))
                    .toMillis());
        }
    }

    /**
     * The key of the row where most wait, in the sample's transaction: its snapshot still sees the version waited for.
     */
    private void addHotRow(Connection connection, Samples samples, List<Wait> waits) throws SQLException {
        Wait wait = Samples.longestQueue(waits).orElse(null);
        Wait.Tuple tuple = wait == null ? null : wait.tuple();
        if (wait == null || tuple == null) {
            return;
        }
        try {
            Optional<String> select = keySelects.get(tuple.relation());
            if (select == null) {
                select = ServerQuery.KEY.read(connection, "relation", tuple.relation()).stream()
                        .filter(row -> row.is("may_read"))
                        .map(row -> row.string("statement"))
                        .findFirst();
            }
            keySelects.put(tuple.relation(), select);
            if (select.isEmpty()) {
                unreadable.add(String.valueOf(wait.table()));
                return;
            }
            ServerQuery.query(connection, select.get() + "'(" + tuple.page() + ',' + tuple.number() + ")'")
                    .forEach(row -> samples.addHotRow(wait.table(), row.string("key")));
        } catch (SQLException e) {
            // Somebody alters the table. The sample counts all the same.
            connection.rollback();
            keySelects.put(tuple.relation(), Optional.empty());
            unreadable.add(String.valueOf(wait.table()));
        }
    }

    /** Tables whose hot rows have keys that could not be read. */
    Set<String> unreadable() {
        return unreadable;
    }
}
