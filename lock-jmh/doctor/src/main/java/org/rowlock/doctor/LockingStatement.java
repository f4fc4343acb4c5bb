package org.rowlock.doctor;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * What a statement that locks rows, by a clause or as UPDATE or DELETE do, has done while the doctor looked, by
 * pg_stat_statements.
 *
 * @param query normalized
 * @param calls that ended
 * @param millis all together, waiting included
 * @param sessions in it at a time
 * @param walShare of the WAL of the server
 * @param blocks read, from shared_buffers or not
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

    /** Of what statements did, most time first. */
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
        return StatementKind.mode(query).filter(RowLockMode::isShared).isPresent();
    }

    /** The first table that it reads. */
    String subject() {
        String table = StatementKind.table(query);
        return table == null ? "statement" : table;
    }

    /** Whether it locks rows of a table, whose name may have a schema here and none there. */
    boolean locks(String name) {
        String table = subject();
        return name.equals(table) || name.endsWith('.' + table) || table.endsWith('.' + name);
    }

    double callBytes() {
        return walBytes / calls;
    }

    /** Of a call that finds no row, its own. */
    double blocksPerRow() {
        return (double) blocks / Math.max(calls, rows);
    }
}
