package org.rowlock.doctor;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.RowWait.Cause;
import org.rowlock.doctor.RowWait.Row;
import org.rowlock.doctor.Sample.RowQueue;

/** What all samples come to. Averages are sessions at a time, which is also seconds of waiting per second. */
final class Samples {
    private final Tally<String> busy = new Tally<>();
    private final Map<String, TableWaits> tables = new LinkedHashMap<>();
    private final Tally<String> otherDatabases = new Tally<>();
    private final Map<String, TableWaits> tableOfStatement = new HashMap<>();

    private int count;
    private long idleInTransaction;
    private long hidden;
    private long rowWaits;
    private long unnamed;
    private long uniqueKeyWaits;
    private int lockEntries;
    private Duration took = Duration.ZERO;

    /**
     * Adds one.
     *
     * @param hotRow the key of the row with the longest queue, where it could be read
     */
    void add(Sample sample, Optional<String> hotRow) {
        count++;
        sample.busy().forEach(busy::add);
        idleInTransaction += sample.activity().idleInTransaction();
        hidden += sample.activity().hidden();
        lockEntries = Math.max(lockEntries, sample.locks().entries());
        uniqueKeyWaits += sample.locks().waits().stream()
                .filter(waiting -> waiting.cause() == Cause.UNIQUE_KEY)
                .count();
        Map<TableWaits, Integer> longest = new HashMap<>();
        for (RowQueue queue : sample.queues()) {
            rowWaits += queue.waits().size();
            TableWaits table = tableOf(queue);
            if (table != null) {
                longest.merge(table, queue.waits().size(), Math::max);
            }
        }
        longest.forEach(TableWaits::addLongestQueue);
        longestQueue(sample)
                .map(RowQueue::row)
                .map(Row::table)
                .map(tables::get)
                .ifPresent(table -> hotRow.ifPresent(table::addHotRow));
    }

    /** Where most sessions of a sample wait, if the row is known. */
    static Optional<RowQueue> longestQueue(Sample sample) {
        return sample.queues().stream()
                .filter(queue -> queue.row() != null)
                .max(Comparator.comparingInt(queue -> queue.waits().size()));
    }

    /** The table that a queue is at, counted there; null if it is not known or of another database. */
    private @Nullable TableWaits tableOf(RowQueue queue) {
        @Nullable Row row = queue.row();
        if (row != null && row.table() == null) {
            queue.waits().forEach(waiting -> otherDatabases.add(Objects.requireNonNullElse(waiting.database(), "?")));
            return null;
        }
        @Nullable
        TableWaits table = row != null && row.table() != null
                ? tables.computeIfAbsent(row.table(), TableWaits::new)
                : queue.waits().stream()
                        .map(waiting -> tableOfStatement.get(waiting.statement()))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
        if (table == null) {
            unnamed += queue.waits().size();
            return null;
        }
        queue.waits().stream()
                .map(RowWait::holder)
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresent(table::addHolder);
        for (RowWait waiting : queue.waits()) {
            table.add(waiting);
            if (row != null && waiting.statement() != null) {
                tableOfStatement.putIfAbsent(waiting.statement(), table);
            }
        }
        return table;
    }

    /** How long the looking took; to be set at its end. */
    void took(Duration duration) {
        took = duration;
    }

    Duration took() {
        return took;
    }

    int count() {
        return count;
    }

    private double average(long sum) {
        return count == 0 ? 0 : (double) sum / count;
    }

    /** Sessions with a running statement, waiting or not. */
    double busySessions() {
        return average(busy.total());
    }

    /** The wait events, the most frequent first. */
    List<String> events() {
        return busy.ranking();
    }

    double sessions(String event) {
        return average(busy.of(event));
    }

    /** Sessions in any event whose name begins so. */
    double sessionsIn(String prefix) {
        return busy.ranking().stream()
                .filter(event -> event.startsWith(prefix))
                .mapToDouble(this::sessions)
                .sum();
    }

    double idleInTransaction() {
        return average(idleInTransaction);
    }

    /** Sessions of which we may not see what they do. */
    double hiddenSessions() {
        return average(hidden);
    }

    /** Sessions that wait for a row, in all databases. */
    double rowWaits() {
        return average(rowWaits);
    }

    /** Their part of the busy sessions; empty where those cannot be seen. */
    Optional<Double> rowWaitShare() {
        return hidden > 0 || busy.total() == 0
                ? Optional.empty()
                : Optional.of(Math.min(1, (double) rowWaits / busy.total()));
    }

    double uniqueKeyWaits() {
        return average(uniqueKeyWaits);
    }

    /** Sessions that wait for rows of a table. */
    double rowWaits(TableWaits table) {
        return average(table.sessions());
    }

    /** Their part of all that wait for rows. */
    double shareOfRowWaits(TableWaits table) {
        return rowWaits == 0 ? 0 : (double) table.sessions() / rowWaits;
    }

    /** Waits for rows that no sample told the table of. */
    double unnamedRowWaits() {
        return average(unnamed);
    }

    /** The tables of our database, most waits first. */
    List<TableWaits> tables() {
        return tables.values().stream()
                .sorted(Comparator.comparingLong(TableWaits::sessions).reversed())
                .toList();
    }

    /** Databases of which the tables have no names here, most waits first. */
    List<String> otherDatabases() {
        return otherDatabases.ranking();
    }

    double rowWaitsIn(String otherDatabase) {
        return average(otherDatabases.of(otherDatabase));
    }

    /** The most entries in the lock table. */
    int lockEntries() {
        return lockEntries;
    }
}
