package org.rowlock.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Seen.LockTable;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * The totals of all samples. A total divided by the number of samples is the average number of sessions at one moment.
 */
final class Samples {
    static final Duration INTERVAL = Duration.ofMillis(100);

    /** The blockers and the lock table take longer to read, so only every fifth sample includes them. */
    private static final int BLOCKERS_EVERY = 5;

    private final long began = System.nanoTime();
    private int count;
    private int blockerLooks;
    private final Tally<String> busy = new Tally<>();
    final Tally<String> sessions = new Tally<>();
    final Tally<String> nowait = new Tally<>();

    @Nullable
    LockTable fullest;

    private final Tally<String> waitingBehind = new Tally<>();
    private final Map<String, Row> blockers = new HashMap<>();
    private final Map<String, Table.Tallies> tables = new LinkedHashMap<>();
    private final Map<String, String> tableOfStatement = new HashMap<>();

    /**
     * How many milliseconds each first session in line had waited at the last sample, by its pid and the awaited xid.
     */
    private Map<String, Double> firstInLine = Map.of();

    /**
     * Samples until {@code isEnough} accepts the result. The pause after each sample is at least as long as the sample,
     * so one server process is busy half of the time at most. After a slow sample, the pause is no longer, because
     * samples matter most when the server is short of CPUs.
     */
    static Samples of(ReadOnlySession session, Predicate<Samples> isEnough) throws SQLException, InterruptedException {
        Samples samples = new Samples();
        while (true) {
            Duration before = samples.elapsed();
            List<Row> activity = session.read(ServerQuery.ACTIVITY::read);
            samples.add(activity, session.read(ServerQuery.WAITS::read));
            if (samples.count() % BLOCKERS_EVERY == 1) {
                samples.addBlockers(session.read(ServerQuery.BLOCKERS::read));
                session.read(ServerQuery.LOCK_TABLE::read).forEach(samples::addLockTable);
            }
            if (isEnough.test(samples)) {
                return samples;
            }
            Duration spent = samples.elapsed().minus(before);
            Thread.sleep(Math.max(INTERVAL.minus(spent).toMillis(), spent.toMillis()));
        }
    }

    void add(List<Row> activity, List<Row> waiting) {
        count++;
        for (Row row : activity) {
            long number = row.count("sessions");
            sessions.add("connections", number);
            sessions.add("aborted", row.count("aborted"));
            nowait.add(row.text("nowait_query"), number);
            (row.is("is_busy") ? busy : sessions).add(row.text("doing"), number);
        }
        addGivenUp(waiting);
        List<Wait> waits = waiting.stream().map(this::wait).toList();
        // The role cannot see the statements of some waiting sessions. Their waits in pg_locks show that these sessions
        // are busy.
        waits.stream()
                .filter(wait -> wait.cause() == StatementKind.HIDDEN)
                .forEach(wait -> busy.add(wait.transaction() == null ? "Lock:tuple" : "Lock:transactionid", 1));
        Map<Table.Tallies, Integer> longest = new HashMap<>();
        Map<String, List<Wait>> queues = waits.stream()
                .filter(wait -> wait.cause() != StatementKind.INSERT)
                .collect(Collectors.groupingBy(Wait::row, LinkedHashMap::new, Collectors.toList()));
        long inQueues = queues.values().stream().mapToLong(List::size).sum();
        sessions.add("key waits", waits.size() - inQueues);
        // Several sessions may wait for the same transaction. The first of them has waited since it got the row.
        Map<String, Double> oldest = new HashMap<>();
        Set<String> held = new HashSet<>();
        for (Wait wait : waits) {
            if (wait.transaction() != null) {
                oldest.merge(wait.transaction(), wait.waitedMillis(), Math::max);
            }
            if (wait.doing() != Wait.Doing.NONE_YET) {
                held.add(String.valueOf(wait.table()));
            }
        }
        for (List<Wait> queue : queues.values()) {
            sessions.add("row waits", queue.size());
            String table = queue.stream()
                    .map(Wait::table)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            if (table != null) {
                Table.Tallies tallies = tables.computeIfAbsent(table, any -> new Table.Tallies());
                tallies.add(queue, held.contains(table));
                for (Wait wait : queue) {
                    if (wait.transaction() != null
                            && wait.waitedMillis() >= oldest.getOrDefault(wait.transaction(), 0.0)) {
                        tallies.addFirstWait(wait.waitedMillis());
                    }
                }
                longest.merge(tallies, queue.size(), Math::max);
            } else {
                sessions.add("row waits at unnamed tables", queue.size());
            }
        }
        longest.forEach(Table.Tallies::addLongestQueue);
    }

    /** Counts waits that ended before the awaited transaction did, for example by lock_timeout. */
    private void addGivenUp(List<Row> waiting) {
        Map<String, Double> now = new HashMap<>();
        Set<String> going = new HashSet<>();
        for (Row row : waiting) {
            if (row.has("transaction")) {
                now.put(row.string("pid") + ' ' + row.string("transaction"), row.number("waited_millis"));
                going.add(row.string("transaction"));
            }
        }
        sessions.add(
                "waits given up",
                firstInLine.entrySet().stream()
                        .filter(each -> going.contains(
                                each.getKey().substring(each.getKey().indexOf(' ') + 1)))
                        .filter(each -> now.getOrDefault(each.getKey(), 0.0) < each.getValue())
                        .count());
        firstInLine = now;
    }

    private Wait wait(Row row) {
        Wait wait = Wait.of(row, tableOfStatement.get(row.string("query")));
        if (wait.table() != null && wait.cause() != StatementKind.FOREIGN_KEY && wait.cause() != StatementKind.INSERT) {
            tableOfStatement.putIfAbsent(String.valueOf(wait.query()), wait.table());
        }
        return wait;
    }

    void addBlockers(List<Row> rows) {
        blockerLooks++;
        for (Row row : rows) {
            waitingBehind.add(row.string("name"), row.count("waiting"));
            blockers.put(row.string("name"), row);
        }
    }

    List<Blocker> blockers() {
        return waitingBehind.times(1.0 / blockerLooks).entrySet().stream()
                .map(each -> {
                    Row row = Objects.requireNonNull(blockers.get(each.getKey()));
                    row.values().put("waiting", each.getValue());
                    return row.as(Blocker.class);
                })
                .toList();
    }

    void addLockTable(Row row) {
        LockTable now = row.as(LockTable.class);
        sessions.add("serializable", row.count("serializable"));
        sessions.add("in transaction", row.count("in_transaction"));
        fullest = fullest == null || now.entries() > fullest.entries() ? now : fullest;
    }

    int count() {
        return count;
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    Map<String, Double> average(Tally<String> tally) {
        return tally.times(1.0 / count);
    }

    Map<String, Double> busy() {
        return average(busy);
    }

    List<Table> tables() {
        double rowWaits = average(sessions).getOrDefault("row waits", 0.0);
        return tables.entrySet().stream()
                .map(entry -> entry.getValue().table(entry.getKey(), count, rowWaits))
                .sorted(Comparator.comparingDouble(Table::waiting).reversed())
                .toList();
    }

    static final class Tally<K> {
        private final Map<K, Long> counts = new LinkedHashMap<>();

        void add(@Nullable K thing, long times) {
            if (thing != null) {
                counts.merge(thing, times, Long::sum);
            }
        }

        /** Returns the share of each key, the largest first. */
        Map<K, Double> shares() {
            return times(
                    1.0 / counts.values().stream().mapToLong(Long::longValue).sum());
        }

        /** Returns each count times the factor, the largest first. */
        Map<K, Double> times(double factor) {
            Map<K, Double> products = new LinkedHashMap<>();
            counts.entrySet().stream()
                    .sorted(Map.Entry.<K, Long>comparingByValue(Comparator.reverseOrder()))
                    .forEach(entry -> products.put(entry.getKey(), entry.getValue() * factor));
            return products;
        }
    }
}
