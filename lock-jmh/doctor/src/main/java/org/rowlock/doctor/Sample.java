package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.RowWait.Cause;
import org.rowlock.doctor.RowWait.Row;

/**
 * The server at one moment.
 *
 * @param activity what sessions do
 * @param locks what they wait for
 */
record Sample(Activity activity, LockTable locks) {

    /** One view after the other, a moment apart. */
    static Sample read(Connection connection) throws SQLException {
        LockTable locks = LockTable.read(connection);
        try (Statement statement = connection.createStatement()) {
            // Or states would be those that the first statement has read, and wait events those of now.
            statement.execute("select pg_stat_clear_snapshot()");
        }
        return new Sample(Activity.read(connection), locks);
    }

    /** Busy sessions by wait event, also those that can be seen waiting only in pg_locks. */
    Map<String, Integer> busy() {
        Map<String, Integer> busy = new TreeMap<>(activity.busy());
        for (RowWait waiting : locks.waits()) {
            if (waiting.cause() == Cause.HIDDEN) {
                busy.merge(waiting.transaction() == null ? "Lock:tuple" : "Lock:transactionid", 1, Integer::sum);
            }
        }
        return busy;
    }

    /** The waiters for rows, those of one row together. Inserts that wait for a unique key are not among them. */
    Collection<RowQueue> queues() {
        Map<String, Row> rowOfTransaction = rowOfTransaction();
        Map<Object, RowQueue> queues = new LinkedHashMap<>();
        for (RowWait waiting : locks.waits()) {
            if (waiting.cause() == Cause.UNIQUE_KEY) {
                continue;
            }
            @Nullable Row row = waiting.row();
            @Nullable String transaction = waiting.transaction();
            if (row == null && transaction != null) {
                // After an update many waiters go on to the new version at once, and wait without naming it.
                row = rowOfTransaction.get(transaction);
            }
            @Nullable Object key = row == null ? transaction : row;
            if (key != null) {
                @Nullable Row found = row;
                queues.computeIfAbsent(key, any -> new RowQueue(found, new ArrayList<>()))
                        .waits()
                        .add(waiting);
            }
        }
        return queues.values();
    }

    /** The row that a transaction is waited for at, if it is only one. */
    private Map<String, Row> rowOfTransaction() {
        Map<String, List<Row>> rows = new HashMap<>();
        for (RowWait waiting : locks.waits()) {
            if (waiting.row() != null && waiting.transaction() != null) {
                rows.computeIfAbsent(waiting.transaction(), any -> new ArrayList<>())
                        .add(waiting.row());
            }
        }
        Map<String, Row> only = new HashMap<>();
        rows.forEach((transaction, found) -> {
            if (found.stream().distinct().count() == 1) {
                only.put(transaction, found.get(0));
            }
        });
        return only;
    }

    /**
     * Who waits for one row.
     *
     * @param row null where no waiter names it
     */
    record RowQueue(@Nullable Row row, List<RowWait> waits) {}
}
