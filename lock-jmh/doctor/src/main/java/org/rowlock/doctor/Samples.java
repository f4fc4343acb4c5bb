package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerQuery.Row;
import org.rowlock.doctor.Wait.Cause;
import org.rowlock.doctor.Wait.Tuple;

/** What all samples come to. Averages are sessions at a time, which is also seconds of waiting per second. */
final class Samples {
    static final String IDLE_IN_TRANSACTION = "idle in transaction";
    static final String HIDDEN = "hidden";
    static final String ROW_WAITS = "row waits";

    /** At a table that nobody names. */
    static final String UNNAMED = "unnamed";

    /** That keep a snapshot between two statements. */
    static final String SNAPSHOTS = "snapshots";

    static final String ABORTED = "aborted";

    private final Tally<String> busy = new Tally<>();
    private final Map<String, TableTallies> tables = new LinkedHashMap<>();
    private final Map<String, String> tableOfStatement = new HashMap<>();
    private final Tally<String> otherDatabases = new Tally<>();
    private int count;
    private final Tally<String> sessions = new Tally<>();
    private int blockerLooks;
    private final Tally<String> nowait = new Tally<>();
    private final Map<String, Blocker> blockers = new LinkedHashMap<>();
    private final Map<String, Long> queryIds = new HashMap<>();
    private @Nullable Row fullest;

    /** Adds what sessions did at one moment, and which of them waited for rows at the next. */
    void add(String database, List<Row> activity, List<Wait> waits) {
        count++;
        for (Row row : activity) {
            sessions.add(SNAPSHOTS, row.count(SNAPSHOTS));
            sessions.add(ABORTED, row.count(ABORTED));
            Optional.ofNullable(row.text("nowait_query")).ifPresent(sql -> nowait.add(sql, row.count("sessions")));
            switch (row.string("state")) {
                case "busy" -> busy.add(row.string("event"), row.count("sessions"));
                default -> sessions.add(row.string("state"), row.count("sessions"));
            }
        }
        for (Wait wait : waits) {
            if (wait.cause() == Cause.HIDDEN) {
                // Busy, as pg_locks shows, though pg_stat_activity does not.
                busy.add(wait.transaction() == null ? "Lock:tuple" : "Lock:transactionid");
            }
        }
        Map<TableTallies, Integer> longest = new HashMap<>();
        for (Queue queue : queues(waits)) {
            sessions.add(ROW_WAITS, queue.waits.size());
            String table = tableOf(queue);
            if (table != null) {
                TableTallies tallies = tables.computeIfAbsent(table, any -> new TableTallies());
                tallies.add(queue.waits, waits);
                longest.merge(tallies, queue.waits.size(), Math::max);
            } else if (queue.waits.stream().allMatch(wait -> wait.database().equals(database))) {
                sessions.add(UNNAMED, queue.waits.size());
            } else {
                queue.waits.forEach(wait -> otherDatabases.add(wait.database()));
            }
        }
        longest.forEach(TableTallies::addLongestQueue);
        circle(waits).forEach(wait -> {
            TableTallies tallies = tables.get(String.valueOf(wait.table()));
            if (tallies != null) {
                tallies.deadlocked++;
            }
        });
    }

    /** Adds the sessions that hold up others at one moment. */
    void addBlockers(List<Row> rows) {
        blockerLooks++;
        for (Row row : rows) {
            Blocker now = row.as(Blocker.class);
            note(row, "query", "query_id");
            Blocker before = blockers.get(now.name());
            blockers.put(now.name(), before == null ? now : now.with(before.waiting() + now.waiting()));
        }
    }

    /** The server's own name of a statement. */
    void note(Row row, String query, String queryId) {
        String statement = row.text(query);
        if (statement != null && row.has(queryId)) {
            queryIds.put(statement, row.count(queryId));
        }
    }

    /** The sessions that hold up most first. */
    List<Blocker> blockers() {
        return blockers.values().stream()
                .map(each -> each.with(each.waiting() / blockerLooks))
                .sorted(Comparator.comparingDouble(Blocker::waiting).reversed())
                .toList();
    }

    Map<String, Long> queryIds() {
        return queryIds;
    }

    /** Statements that want a lock NOWAIT, at a time. */
    Map<String, Double> nowait() {
        return nowait.times(1.0 / count);
    }

    /** Adds how full the lock table is. */
    void add(Row lockTable) {
        if (fullest == null || lockTable.count("entries") > fullest.count("entries")) {
            fullest = lockTable;
        }
    }

    /** Adds the key of the row with the longest queue of a sample. */
    void addHotRow(@Nullable String table, String key) {
        Optional.ofNullable(tables.get(String.valueOf(table))).ifPresent(tallies -> tallies.hotRows.add(key));
    }

    /** Where most sessions of a sample wait, if the row is known and of this database. */
    static Optional<Wait> longestQueue(List<Wait> waits) {
        return queues(waits).stream()
                .filter(queue -> queue.tuple() != null && queue.waits.get(0).table() != null)
                .max(Comparator.comparingInt(queue -> queue.waits.size()))
                .flatMap(queue -> queue.waits.stream()
                        .filter(wait -> wait.tuple() != null)
                        .findFirst());
    }

    /** The sessions that wait for one row. */
    private record Queue(List<Wait> waits) {
        @Nullable
        Tuple tuple() {
            return waits.stream()
                    .map(Wait::tuple)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
    }

    /**
     * The waiters of each row. A session that waits for a transaction and names no row wants, of its table's rows, the
     * one that this transaction is waited for at, if there is only one.
     */
    private static Collection<Queue> queues(List<Wait> waits) {
        Map<String, Set<Tuple>> tuples = new HashMap<>();
        for (Wait wait : waits) {
            if (wait.tuple() != null && wait.transaction() != null) {
                tuples.computeIfAbsent(wait.transaction() + ' ' + wait.table(), any -> new HashSet<>())
                        .add(wait.tuple());
            }
        }
        Map<Object, Queue> queues = new LinkedHashMap<>();
        for (Wait wait : waits) {
            if (wait.cause() != Cause.UNIQUE_KEY) {
                String transaction = wait.transaction() + ' ' + wait.table();
                Set<Tuple> named = tuples.getOrDefault(transaction, Set.of());
                Object key = wait.tuple() != null
                        ? wait.tuple()
                        : named.size() == 1 ? named.iterator().next() : transaction;
                queues.computeIfAbsent(key, any -> new Queue(new ArrayList<>()))
                        .waits
                        .add(wait);
            }
        }
        return queues.values();
    }

    /** A wait as it was read, by what is known of its statement. */
    Wait wait(Row row) {
        note(row, "query", "query_id");
        note(row, "holder_query", "holder_query_id");
        return Wait.of(row, tableOfStatement.get(row.string("query")));
    }

    /** The table of a queue; where nobody names it, that of the same statement at another time. */
    private @Nullable String tableOf(Queue queue) {
        for (Wait wait : queue.waits) {
            if (wait.table() != null) {
                if (wait.statement() != null && wait.cause() != Cause.FOREIGN_KEY) {
                    tableOfStatement.putIfAbsent(wait.statement(), wait.table());
                }
                return wait.table();
            }
        }
        return queue.tuple() != null
                ? null
                : queue.waits.stream()
                        .map(wait -> tableOfStatement.get(String.valueOf(wait.statement())))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
    }

    /** The sessions that wait for each other in a circle, until the server finds it. */
    private static List<Wait> circle(List<Wait> waits) {
        Map<Integer, Integer> holderOf = new HashMap<>();
        waits.forEach(wait -> {
            if (wait.holder() != null) {
                holderOf.put(wait.pid(), wait.holder().pid());
            }
        });
        return waits.stream()
                .filter(wait -> {
                    Integer next = holderOf.get(wait.pid());
                    for (int i = 0; next != null && i < waits.size(); i++) {
                        if (next == wait.pid()) {
                            return true;
                        }
                        next = holderOf.get(next);
                    }
                    return false;
                })
                .toList();
    }

    int count() {
        return count;
    }

    /** Sessions of a kind, at a time. */
    double sessions(String kind) {
        return (double) sessions.of(kind) / count;
    }

    /** Busy sessions by wait event, at a time. */
    Map<String, Double> busy() {
        return busy.times(1.0 / count);
    }

    Map<String, Double> otherDatabases() {
        return otherDatabases.times(1.0 / count);
    }

    @Nullable
    Row fullest() {
        return fullest;
    }

    /** The tables, most waits first. */
    List<Table> tables() {
        return tables.entrySet().stream()
                .map(entry -> entry.getValue().table(entry.getKey(), count, sessions.of(ROW_WAITS)))
                .sorted(Comparator.comparingDouble(Table::waiting).reversed())
                .toList();
    }
}
