package org.rowlock.doctor;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * The work of one locking statement during the sampling, from pg_stat_statements. A locking statement has a locking
 * clause, or is an UPDATE or DELETE.
 *
 * @param millis the time of all calls together, including waits
 * @param blocks the blocks read, both from shared_buffers and from outside them
 */
record LockingStatement(
        String query,
        long calls,
        double millis,
        double sessions,
        long rows,
        double walBytes,
        double walShare,
        long blocks) {

    static List<LockingStatement> of(List<Row> statements, double seconds, double walBytes) {
        return statements.stream()
                .filter(row -> row.count("calls") > 0
                        && StatementKind.mode(row.string("query")).isPresent())
                .map(row -> {
                    double share = walBytes <= 0 ? 0 : Math.min(1, row.number("wal_bytes") / walBytes);
                    row.values().putAll(Map.of("sessions", row.number("millis") / 1e3 / seconds, "wal_share", share));
                    return row.as(LockingStatement.class);
                })
                .sorted(Comparator.comparingDouble(LockingStatement::sessions).reversed())
                .toList();
    }

    boolean isShared() {
        return StatementKind.isShared(query);
    }

    String subject() {
        String table = StatementKind.table(query);
        return table == null ? "statement" : table;
    }

    /** Whether the statement locks rows of a table. The schemas are compared only if both names have one. */
    boolean locks(String name) {
        String table = subject();
        return name.equals(table) || name.endsWith('.' + table) || table.endsWith('.' + name);
    }

    double callBytes() {
        return walBytes / calls;
    }

    /** The blocks read per row, or per call if there were more calls than rows. */
    double blocksPerRow() {
        return (double) blocks / Math.max(calls, rows);
    }
}
